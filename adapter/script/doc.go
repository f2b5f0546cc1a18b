// Package script is a deterministic agent: it obeys a command in the last user
// message, says what is attached to one without a command, and answers other text
// with what it can do. It is what the command runs by default, and the profile that tests and the conformance harness use.
//
//	/say TEXT          streams TEXT in word deltas
//	/slow N MS         N deltas, MS milliseconds apart
//	/tool NAME JSON    proposes the call and asks; approved, it is carried out once
//	/delete NAME       proposes to delete a database, which cannot be undone
//	/parallel N        N calls as of /tool in one interrupt outcome
//	/form              asks for quarter, year and revenue, and echoes them in a sentence and as JSON
//	/date              asks for a day, and echoes it in a sentence and as JSON
//	/confirm TEXT      asks for a confirmation without a schema
//	/twice             asks, asks again after the answer, then ends
//	/expire SECONDS    as /confirm, expiring that far ahead
//	/fail TEXT         fails with TEXT
//	/panic             panics
//	/state JSON        sets the state, then adds /steps to it by a delta
//	/effect            carries out the non-idempotent step alone, without asking
//	/think TEXT        a reasoning span
//	/delegate TEXT     a subagent says TEXT in a step of its own
//	/activity          an activity, changed by a delta
//	/frontend NAME JSON  leaves a call for the frontend; its tool message is answered
//	/steps N MS        N steps of MS milliseconds, and what was sent to join the run after each
//	/sleep SECONDS     waits so long, and then does what /effect does
//	/event NAME        says where the event is to be posted, waits for it, and then does what /effect does
//	/call TEXT         has the default agent do TEXT on a thread below, and repeats what it said
//	/login PROVIDER SCOPES  uses the account of whoever says it at a provider
//	/report ROWS       a tool whose result is a table, by reference
//
// Carrying out is one step that is not idempotent: it appends the line
// {"tool","args","key"} to Options.Effects, so that a test can count what
// really happened.
package script
