// Package store is the contract between runs and what keeps them: whole decisions
// of the protocol, each one commit, and the shapes that go in and come out. It
// knows no agent, no transport and no database.
//
// # A dispatch
//
//	            ┌── Nack, HandBack, lease over ──┐
//	            ▼                                │
//	queued ──▶ queued, at the head ──▶ claimed ──┴▶ acked: its worker ended the run
//	  ├──▶ acked: joined another run      ├──▶ superseded: stopped, or by a stop all
//	  ├──▶ cancelled: stopped in the      └──▶ dead_letter: the attempts are used up,
//	  │    queue                                or it cannot succeed ──▶ requeued
//	  └──▶ superseded by a stop all                                      as another
//
// A dispatch hands one run to a worker; its state says nothing of
// what the run came to. A thread has at most one that is claimed. Its holder
// proves itself by the claim token and the dispatch epoch, which StopAll raises;
// Begin.MaxAttempts claims are granted, and as many again whenever its run has
// recorded something. A dead letter's run ends in RUN_ERROR, and a Begin that
// requeues it goes on with its journal in a run of its own.
package store

// Store keeps threads. Every call is atomic: a client, a second node or a
// crash sees all of it or nothing. All methods may be called concurrently.
// Time is the store's own clock. The parts are for their callers, each of whom declares
// no more than it needs.
type Store interface {
	Admission
	Worker
	Retries
	Sweep
	Control
	Checkpoints
	Presence
	Reader
	Messages
	Branches
	Dispatches
	Inbox
	Threads
	Quotas
	Notices
	Decisions
	Payloads
	Tree
}
