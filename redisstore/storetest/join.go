package storetest

import (
	"github.com/aguiws/aguiws/adapter/store"
)

// joining is an input that waits to join the active run.
func (th *thread) joining(run string) store.Begin {
	th.Helper()
	return with(th.wait(run), func(k *store.Enqueue) { k.Joins = true })
}

// taking is a batch that takes inputs out of the queue, with an event and an entry for
// each.
func taking(c store.Claim, number, expect int64, runs ...string) store.Batch {
	events, entries := "", ""
	join := &store.Join{}
	for _, run := range runs {
		events += " joined:" + run
		entries += ` "` + run + `"`
		join.Inputs = append(join.Inputs, store.JoinedInput{RunID: run, Finished: []byte("finished:" + run)})
	}
	b := batch(c, number, expect, events)
	b.Entries, b.Join = raws(entries), join
	return b
}

var joinTests = []test{
	{"an input that joins is told to the active run, taken by it, and never begins", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		same(th, "nothing came", th.ok(batch(c, 2, 1, "a")).Joins, false)
		th.begun(th.wait("r2"))
		same(th, "what only waits", th.ok(batch(c, 3, 2, "b")).Joins, false)
		th.begun(th.joining("r3"))
		same(th, "told", th.ok(batch(c, 4, 3, "c")).Joins, true)
		same(th, "told again", th.ok(batch(c, 5, 4, "d")).Joins, true)
		before := th.view().Version
		same(th, "taken", th.ok(taking(c, 6, 5, "r3")).Joins, false)
		v := th.view()
		same(th, "waiting", words(len(v.Queue), v.Queue[0].ID, v.Version > before), "1 r2 true")
		same(th, "its dispatch", words(string(th.dispatch("r3").State), string(th.dispatch("r3").Input)), "acked")
		same(th, "its outcome", string(th.dispatch("r3").Outcome), "finished:r3")
		x, err := th.s.Journal(e.Context(), c)
		same(th, "journal", string(must(th, x, err).Journal[0]), `"r3"`)
		same(th, "stopped no more", th.stop("label-r3").Stopped, false)
		same(th, "log", th.log(), "start:r1 a b c d joined:r3")
		th.ok(ending(c, 7, 6, "end", store.EndFinish))
		th.carried("r2")
	}},
	{"what was taken is logged when the queue is released, and ends its own run", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.begun(th.joining("r2"))
		th.ok(taking(c, 2, 1, "r2"))
		th.ok(ending(c, 3, 2, "end", store.EndFinish))
		same(th, "log", th.log(), "start:r1 joined:r2 end start:r2 finished:r2")
		v := th.view(store.ReadQuery{RunID: "r2"})
		same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedfinished:r2")
		th.claimed("t2", store.ClaimNothing)
	}},
	{"its sender is owed the events of its run at once, wherever it is", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		heardA, heardB := listen(th.s), listen(other.s)
		other.view(store.ReadQuery{Follower: true})
		c := th.begun(th.execute("r1"))
		other.begun(other.joining("r2"))
		th.ok(taking(c, 2, 1, "r2"))
		same(th, "the worker's node", heardA.count(store.DeliverCancelled, th.key, ""), 1)
		eventually(th, "the other", func() bool { return heardB.count(store.DeliverCancelled, th.key, "") == 1 })
	}},
	{"taking what waits no more changes nothing, and another number is not used up", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.begun(th.joining("r2"))
		th.begun(th.joining("r3"))
		th.stop("label-r2")
		th.unchanged(func() {
			same(th, "verdict", th.commit(taking(c, 2, 1, "r3", "r2")).Status, store.CommitGone)
			same(th, "unknown", th.commit(taking(c, 2, 1, "nobody")).Status, store.CommitGone)
		})
		same(th, "the other", th.ok(taking(c, 2, 1, "r3")).Joins, false)
	}},
	{"a batch that takes is recognised when it is sent again, and refused to who has lost the claim", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.begun(th.joining("r2"))
		b := taking(c, 2, 1, "r2")
		first := th.ok(b)
		th.unchanged(func() { same(th, "again", th.ok(b), first) })
		th.begun(th.joining("r3"))
		wrong := c
		wrong.Token = "another"
		th.unchanged(func() {
			same(th, "fenced", th.commit(taking(wrong, 3, 2, "r3")).Status, store.CommitFenced)
			same(th, "elsewhere", th.commit(taking(c, 3, 1, "r3")).Status, store.CommitMismatch)
		})
	}},
	{"that an input came to join is told until none of those waits", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.begun(th.joining("r2"))
		th.begun(th.joining("r3"))
		same(th, "one is left", th.ok(taking(c, 2, 1, "r2")).Joins, true)
		th.stop("label-r3")
		same(th, "none is left, and nobody has looked", th.ok(batch(c, 3, 2, "a")).Joins, true)
		same(th, "looked", th.ok(taking(c, 4, 3)).Joins, false)
		same(th, "afterwards", th.ok(batch(c, 5, 3, "b")).Joins, false)
	}},
	{"what came to join and was not taken begins as any other, and waits while an interrupt is open", func(e *env) {
		th := e.thread()
		th.suspended()
		th.begun(th.joining("r5"))
		th.claimed("t2", store.ClaimNothing)
		c := th.begun(th.resume("r6", "exe-r1"))
		seq := th.view().Seq
		same(th, "told to who goes on", th.ok(batch(c, 2, seq, "a")).Joins, true)
		th.ok(ending(c, 3, seq+1, "end", store.EndFinish))
		claimed := th.claimed("t3", store.ClaimQueued)
		same(th, "it begins", claimed.Claim.RunID, "r5")
	}},
	{"a run that is stopped, buried or stopped with all leaves it in the queue, or takes it along", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		th.begun(th.joining("r2"))
		th.stop("label-r1")
		same(th, "stopped", th.claimed("t2", store.ClaimQueued).Claim.RunID, "r2")
		other := e.on(th.s, "other")
		other.begun(other.execute("r1"))
		other.begun(other.joining("r2"))
		other.stopAll("i", "r1")
		same(th, "with all", string(other.dispatch("r2").State), "superseded")
	}},
}
