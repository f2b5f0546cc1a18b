// Package storetest holds the contract of store.Store as tests that any
// implementation can run. Each subtest is named for what it holds.
//
// Run opens many stores, as different nodes of one installation: what they share
// is named by Node.Space, and every subtest has a space of its own. Model plays
// random calls of the whole contract against a plain model of a thread, and prints
// the seed with which it plays them again.
//
// # Lines
//
// What a durable mailbox with human answers has to show is a list of numbered
// behaviours: M of dispatches, S of suspensions, R of the log, N of what goes
// wrong between processes. A name that begins with such numbers, here, in the
// tests of redisstore or in those of adapter, holds these lines. A test sees to it
// that each line is given to one of them or stands in this table, of those that do
// not apply; and Keep that the tests which hold them have run.
//
//	line        why it does not apply
//	M36         what is enqueued has no state that it could name
//	M58-M61     there are no live commands: each decision is one script, the live path a nudge
//	M63-M65     there are no live commands; deliveries are put in order by their positions
//	M115, M116  there are no live commands, so no targeted ones
//	M121, M122  NATS only: keys come to be as they are written, and nothing watches them
//	M123, M126  there is no ready state: recovery is what every sweep does
//	M135        a run and its dispatch are one script: neither is without the other
//	M137        events, journal and run are one commit: there is nothing to repair
//	M152        the server's: its metrics read what the store counts
//	M156        admission and claim are one script: nothing is prepared that is not claimed
//	M166-M170   a running agent is not steered live: an input waits, or supersedes
//	M173        the binding wins: an input without answers is refused while interrupts are open
//	M177        there are no background tasks that an execution waits for
//	M179        the log holds AG-UI's events and no others; operators have dispatches and metrics
//	M180        a follower is a cursor on the log: there is no sink to connect again
//	M181        no goroutine waits for a thread: there is no idle worker to remove
//	S2          a call has no state of its own: the journal of its execution is its state
//	S8          calls are carried out in the agent's order, a step each
//	S16         every agent continues by the journal: none lacks support for decisions
//	S18         there is no channel of decisions that could close
//	R2          a log has one protocol
//	R4          a batch is recognised by its claim and number, which one worker gives to one content
//	R7          an event refers to nothing outside of it
package storetest
