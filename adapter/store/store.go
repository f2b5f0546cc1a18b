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

import "errors"

// ErrOutcomeUnknown wraps every store error after which the call may or may
// not have taken effect (a lost reply, a time-out, a fail-over). The same call
// may be sent again: each writing call recognises itself.
var ErrOutcomeUnknown = errors.New("store: no answer, the outcome is unknown")

// ErrPartial is wrapped, beside ErrOutcomeUnknown, by errors of calls that ask all of
// a store of which a part does not answer: Work, Tail, the counts and the pages. The values
// that they return with it are right, and are what the other parts have answered.
var ErrPartial = errors.New("store: a part of it did not answer")

// ErrCannotAwait is Await's answer where there is nothing to wait for all of the store by.
var ErrCannotAwait = errors.New("store: work cannot be waited for")

// ErrClaimLost is Journal's answer to a claim that is not held any more.
var ErrClaimLost = errors.New("store: the claim is lost")

// ErrCorrupted is wrapped by errors that say what of a thread's stored data cannot
// be read, and never what it holds. It concerns that thread alone, and the same call
// fails again. All of such a thread can be stopped, and it can be deleted.
var ErrCorrupted = errors.New("store: stored data cannot be read")

// ErrBadCursor is wrapped by calls that page, for a cursor that is none of theirs.
var ErrBadCursor = errors.New("store: the cursor is not one that this list has given")

// ThreadKey names a thread. A thread id means something only inside its
// namespace.
type ThreadKey struct {
	Namespace string
	Thread    string
}

// Position is a place in a thread's log: the event numbered Seq, counted from
// 1, in the log's life named Epoch. Seq 0 is before the first event.
type Position struct {
	Epoch string
	Seq   int64
}

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
