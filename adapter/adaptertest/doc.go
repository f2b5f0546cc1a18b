// Package adaptertest runs agents in the tests of their authors: a conversation is played
// with an agent, its questions are answered, and its workers die wherever they can.
//
//	b := adaptertest.New(t, agent)
//	run := b.Send("the flowers")
//	run = b.Approve(run.Interrupts()...)
//	if run.Text() != "Sent." {
//		t.Errorf("it says %q", run.Text())
//	}
//
// The store is an embedded one with a clock of its own, which Bench.Forward sets: no test
// waits for a Sleep. A Bench works inside of a bubble of testing/synctest, too. EachCrash plays
// a conversation once for each write of the store, and lets the worker die there.
package adaptertest
