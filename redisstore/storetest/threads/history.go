package threads

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var HistoryTests = []stage.Test{
	{"another history is another epoch, all else stays", func(e *stage.Env) {
		e.History = "first"
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Batch(c, 2, 1, "b")
		b.Entries = stage.Raws("1")
		th.OK(b)
		before := th.View()
		e.History = "second"
		th = th.From(e.Node("a2"))
		after := th.View(store.ReadQuery{After: &store.Position{Epoch: before.Epoch, Seq: 2}})
		if after.Epoch == before.Epoch || after.Epoch == "" || after.Recovered {
			e.Fatalf("epoch %q after %q, recovered %t", after.Epoch, before.Epoch, after.Recovered)
		}
		stage.Same(th, "log", stage.Text(after.Log), "start:r1 b")
		stage.Same(th, "version, seq", []int64{after.Version, after.Seq}, []int64{before.Version, before.Seq})
		stage.Same(th, "the epoch stays", th.View().Epoch, after.Epoch)
		r, err := th.Store.Range(e.Context(), th.Key, before.Epoch, 1, 10)
		stage.Same(th, "a page of the old one", stage.Must(th, r, err).Status, store.RangeEpoch)
		res := th.OK(stage.Batch(c, 3, 2, "c"))
		stage.Same(th, "the writer goes on under it", res.End, store.Position{Epoch: after.Epoch, Seq: 3})
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "journal", len(stage.Must(th, x, err).Journal), 1)
	}},
	{"whichever call comes first finds the new history", func(e *stage.Env) {
		calls := map[string]func(th *stage.Thread, c store.Claim){
			"commit": func(th *stage.Thread, c store.Claim) { th.OK(stage.Batch(c, 2, 1, "b")) },
			"retry":  func(th *stage.Thread, c store.Claim) { th.OK(stage.Batch(c, 1, 0, "start")) },
			"end":    func(th *stage.Thread, c store.Claim) { th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish)) },
			"stop":   func(th *stage.Thread, c store.Claim) { th.Stop("label-r1") },
			"renew":  func(th *stage.Thread, c store.Claim) { th.Renew(c) },
			"claim":  func(th *stage.Thread, c store.Claim) { th.Claim("t2") },
			"begin": func(th *stage.Thread, c store.Claim) {
				th.Begin(store.Begin{Thread: th.Key, RunID: "r1", Kind: store.Execute{
					Claimed: store.Claimed{Token: "token-r1", Events: stage.Events("x")}, Fresh: stage.Fresh("r1")}})
			},
			"tail": func(th *stage.Thread, c store.Claim) {
				_, err := th.Store.Tail(th.Context(), []store.ThreadKey{th.Key})
				stage.Must(th, 0, err)
			},
			"range": func(th *stage.Thread, c store.Claim) {
				_, err := th.Store.Range(th.Context(), th.Key, "x", 1, 1)
				stage.Must(th, 0, err)
			},
		}
		e.History = "first"
		old := e.Node("a")
		e.History = "second"
		fresh := e.Node("b")
		for name, f := range calls {
			th := e.On(old, name)
			c := th.Begun(th.Execute("r1"))
			was := th.View().Epoch
			f(th.From(fresh), c)
			// A node that still sees the first history finds the stored one different.
			e.History = "second"
			p, err := fresh.Tail(e.Context(), []store.ThreadKey{th.Key})
			stage.Must(th, p, err)
			again := th.From(fresh).View().Epoch
			if p[0].Epoch == was || p[0].Epoch != again {
				e.Errorf("%s: epochs %q, %q, %q", name, was, p[0].Epoch, again)
			}
		}
	}},
	{"results name the epoch that is stored", func(e *stage.Env) {
		e.History = "first"
		th := e.Thread()
		b := th.Execute("r1")
		c := th.Begun(b)
		e.History = "second"
		th = th.From(e.Node("b"))
		res := th.OK(stage.Batch(c, 2, 1, "b"))
		stage.Same(th, "commit", res.End.Epoch, th.View().Epoch)
		e.History = "third"
		th = th.From(e.Node("c"))
		stage.Same(th, "a begin sent again", th.Begin(b).Position.Epoch, th.View().Epoch)
		e.History = "fourth"
		th = th.From(e.Node("d"))
		stage.Same(th, "a commit sent again", th.OK(stage.Batch(c, 2, 1, "b")).End.Epoch, th.View().Epoch)
	}},
	{"a claim outlives the change of history", func(e *stage.Env) {
		clock := e.Stopped()
		e.History = "first"
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		e.History = "second"
		th = th.From(e.Node("b"))
		th.Claimed("t2", store.ClaimNothing)
		clock.Move(e.Lease + time.Millisecond)
		stage.Same(th, "attempts", th.Claimed("t2", store.ClaimTakeover).Attempts, 2)
	}},
}
