package runs

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// joining is an input that waits to join the active run.
func joining(th *stage.Thread, run string) store.Begin {
	th.Helper()
	return stage.With(th.Wait(run), func(k *store.Enqueue) { k.Joins = true })
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
	b := stage.Batch(c, number, expect, events)
	b.Entries, b.Join = stage.Raws(entries), join
	return b
}

var JoinTests = []stage.Test{
	{"an input that joins is told to the active run, taken by it, and never begins", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		stage.Same(th, "nothing came", th.OK(stage.Batch(c, 2, 1, "a")).Joins, false)
		th.Begun(th.Wait("r2"))
		stage.Same(th, "what only waits", th.OK(stage.Batch(c, 3, 2, "b")).Joins, false)
		th.Begun(joining(th, "r3"))
		stage.Same(th, "told", th.OK(stage.Batch(c, 4, 3, "c")).Joins, true)
		stage.Same(th, "told again", th.OK(stage.Batch(c, 5, 4, "d")).Joins, true)
		before := th.View().Version
		stage.Same(th, "taken", th.OK(taking(c, 6, 5, "r3")).Joins, false)
		v := th.View()
		stage.Same(th, "waiting", stage.Words(len(v.Queue), v.Queue[0].ID, v.Version > before), "1 r2 true")
		stage.Same(th, "its dispatch", stage.Words(string(th.Dispatch("r3").State), string(th.Dispatch("r3").Input)), "acked")
		stage.Same(th, "its outcome", string(th.Dispatch("r3").Outcome), "finished:r3")
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "journal", string(stage.Must(th, x, err).Journal[0]), `"r3"`)
		stage.Same(th, "stopped no more", th.Stop("label-r3").Stopped, false)
		stage.Same(th, "log", th.Logged(), "start:r1 a b c d joined:r3")
		th.OK(stage.Ending(c, 7, 6, "end", store.EndFinish))
		th.Carried("r2")
	}},
	{"what was taken is logged when the queue is released, and ends its own run", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.Begun(joining(th, "r2"))
		th.OK(taking(c, 2, 1, "r2"))
		th.OK(stage.Ending(c, 3, 2, "end", store.EndFinish))
		stage.Same(th, "log", th.Logged(), "start:r1 joined:r2 end start:r2 finished:r2")
		v := th.View(store.ReadQuery{RunID: "r2"})
		stage.Same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedfinished:r2")
		th.Claimed("t2", store.ClaimNothing)
	}},
	{"its sender is owed the events of its run at once, wherever it is", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		heardA, heardB := stage.Listen(th.Store), stage.Listen(other.Store)
		other.View(store.ReadQuery{Follower: true})
		c := th.Begun(th.Execute("r1"))
		other.Begun(joining(other, "r2"))
		th.OK(taking(c, 2, 1, "r2"))
		stage.Same(th, "the worker's node", heardA.Count(store.DeliverCancelled, th.Key, ""), 1)
		stage.Eventually(th, "the other", func() bool { return heardB.Count(store.DeliverCancelled, th.Key, "") == 1 })
	}},
	{"taking what waits no more changes nothing, and another number is not used up", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.Begun(joining(th, "r2"))
		th.Begun(joining(th, "r3"))
		th.Stop("label-r2")
		th.Unchanged(func() {
			stage.Same(th, "verdict", th.Commit(taking(c, 2, 1, "r3", "r2")).Status, store.CommitGone)
			stage.Same(th, "unknown", th.Commit(taking(c, 2, 1, "nobody")).Status, store.CommitGone)
		})
		stage.Same(th, "the other", th.OK(taking(c, 2, 1, "r3")).Joins, false)
	}},
	{"a batch that takes is recognised when it is sent again, and refused to who has lost the claim", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.Begun(joining(th, "r2"))
		b := taking(c, 2, 1, "r2")
		first := th.OK(b)
		th.Unchanged(func() { stage.Same(th, "again", th.OK(b), first) })
		th.Begun(joining(th, "r3"))
		wrong := c
		wrong.Token = "another"
		th.Unchanged(func() {
			stage.Same(th, "fenced", th.Commit(taking(wrong, 3, 2, "r3")).Status, store.CommitFenced)
			stage.Same(th, "elsewhere", th.Commit(taking(c, 3, 1, "r3")).Status, store.CommitMismatch)
		})
	}},
	{"that an input came to join is told until none of those waits", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.Begun(joining(th, "r2"))
		th.Begun(joining(th, "r3"))
		stage.Same(th, "one is left", th.OK(taking(c, 2, 1, "r2")).Joins, true)
		th.Stop("label-r3")
		stage.Same(th, "none is left, and nobody has looked", th.OK(stage.Batch(c, 3, 2, "a")).Joins, true)
		stage.Same(th, "looked", th.OK(taking(c, 4, 3)).Joins, false)
		stage.Same(th, "afterwards", th.OK(stage.Batch(c, 5, 3, "b")).Joins, false)
	}},
	{"what came to join and was not taken begins as any other, and waits while an interrupt is open", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		th.Begun(joining(th, "r5"))
		th.Claimed("t2", store.ClaimNothing)
		c := th.Begun(th.Resume("r6", "exe-r1"))
		seq := th.View().Seq
		stage.Same(th, "told to who goes on", th.OK(stage.Batch(c, 2, seq, "a")).Joins, true)
		th.OK(stage.Ending(c, 3, seq+1, "end", store.EndFinish))
		claimed := th.Claimed("t3", store.ClaimQueued)
		stage.Same(th, "it begins", claimed.Claim.RunID, "r5")
	}},
	{"a run that is stopped, buried or stopped with all leaves it in the queue, or takes it along", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		th.Begun(joining(th, "r2"))
		th.Stop("label-r1")
		stage.Same(th, "stopped", th.Claimed("t2", store.ClaimQueued).Claim.RunID, "r2")
		other := e.On(th.Store, "other")
		other.Begun(other.Execute("r1"))
		other.Begun(joining(other, "r2"))
		other.StopAll("i", "r1")
		stage.Same(th, "with all", string(other.Dispatch("r2").State), "superseded")
	}},
}
