// Package storetest holds the contract of store.Store as tests that any
// implementation can run. Each subtest is named for the behaviour that it holds, and
// these names are the list of what a store does.
//
// # How it is laid out
//
// Run opens many stores, as different nodes of one installation: what they share
// is named by Node.Space, and every subtest has a space of its own. Its groups are
// tables, each in the file of its name. In runs:
//
//	Begin, Resume, Dedupe                    how a run is admitted
//	Claim, Queue, Dispatch, Work             what waits, and who gets it
//	Commit, End, Expire                      what a run writes, how it ends, how long its questions stand
//	Nack, DeadLetters                        what fails: retries and dead letters
//	Stop, Interrupt                          what is ended on purpose
//	Retry                                    every call that writes, sent again after a lost reply
//	Presence                                 which agents a node serves
//
// In threads:
//
//	Read, Follow, Large, Page, History       what is read of a thread, and what followers hear
//	Inbox, Threads, Drafts                   what people browse
//	Delete, Retire, Retention                what is forgotten, and when
//
// In model: Model, which plays random calls. All three stand on stage, which has the moves
// that subtests make.
//
// # What a store need not do
//
// This contract leaves out some of what other mailboxes promise (conformance/BEHAVIOURS.md
// has it line by line, with what holds the rest):
//
//   - Live commands, and deliveries in a queue of their own: each decision is one
//     commit, what is sent live is a nudge, and positions put events in order.
//   - A state that an input names, or one of being prepared or ready: an input is
//     admitted and can be claimed in one commit, and recovery is what every sweep does.
//   - Repair of a run without its dispatch or its events: they are one commit.
//   - Steering of an agent that runs: an input waits, or supersedes. One without
//     answers is refused while interrupts are open.
//   - States of single calls, tools side by side, channels of decisions: the journal
//     of an execution is its state, its calls are steps one after the other, and every
//     agent continues by the journal.
//   - Other protocols in a log, events that refer to something outside of it, content
//     by which a batch is recognised: the log holds AG-UI's events, and a batch is named
//     by its claim and number, which one worker gives to one content.
//   - Sinks that connect again, watchers of keys, workers that idle: a follower is a
//     cursor on the log, and no goroutine waits for a thread.
package storetest
