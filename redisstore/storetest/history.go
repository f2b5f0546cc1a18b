package storetest

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var historyTests = []test{
	{"another history is another epoch, all else stays", func(e *env) {
		e.history = "first"
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := batch(c, 2, 1, "b")
		b.Entries = raws("1")
		th.ok(b)
		before := th.view()
		e.history = "second"
		th = th.from(e.node("a2"))
		after := th.view(store.ReadQuery{After: &store.Position{Epoch: before.Epoch, Seq: 2}})
		if after.Epoch == before.Epoch || after.Epoch == "" || after.Recovered {
			e.Fatalf("epoch %q after %q, recovered %t", after.Epoch, before.Epoch, after.Recovered)
		}
		same(th, "log", text(after.Log), "start:r1 b")
		same(th, "version, seq", []int64{after.Version, after.Seq}, []int64{before.Version, before.Seq})
		same(th, "the epoch stays", th.view().Epoch, after.Epoch)
		r, err := th.s.Range(e.Context(), th.key, before.Epoch, 1, 10)
		same(th, "a page of the old one", must(th, r, err).Status, store.RangeEpoch)
		res := th.ok(batch(c, 3, 2, "c"))
		same(th, "the writer goes on under it", res.End, store.Position{Epoch: after.Epoch, Seq: 3})
		x, err := th.s.Journal(e.Context(), c)
		same(th, "journal", len(must(th, x, err).Journal), 1)
	}},
	{"whichever call comes first finds the new history", func(e *env) {
		calls := map[string]func(th *thread, c store.Claim){
			"commit": func(th *thread, c store.Claim) { th.ok(batch(c, 2, 1, "b")) },
			"retry":  func(th *thread, c store.Claim) { th.ok(batch(c, 1, 0, "start")) },
			"end":    func(th *thread, c store.Claim) { th.ok(ending(c, 2, 1, "end", store.EndFinish)) },
			"stop":   func(th *thread, c store.Claim) { th.stop("label-r1") },
			"renew":  func(th *thread, c store.Claim) { th.renew(c) },
			"claim":  func(th *thread, c store.Claim) { th.claim("t2") },
			"begin": func(th *thread, c store.Claim) {
				th.begin(store.Begin{Thread: th.key, RunID: "r1", Kind: store.Execute{
					Claimed: store.Claimed{Token: "token-r1", Events: events("x")}, Fresh: fresh("r1")}})
			},
			"tail": func(th *thread, c store.Claim) {
				_, err := th.s.Tail(th.Context(), []store.ThreadKey{th.key})
				must(th, 0, err)
			},
			"range": func(th *thread, c store.Claim) {
				_, err := th.s.Range(th.Context(), th.key, "x", 1, 1)
				must(th, 0, err)
			},
		}
		e.history = "first"
		old := e.node("a")
		e.history = "second"
		fresh := e.node("b")
		for name, f := range calls {
			th := e.on(old, name)
			c := th.begun(th.execute("r1"))
			was := th.view().Epoch
			f(th.from(fresh), c)
			// A node that still sees the first history finds the stored one different.
			e.history = "second"
			p, err := fresh.Tail(e.Context(), []store.ThreadKey{th.key})
			must(th, p, err)
			again := th.from(fresh).view().Epoch
			if p[0].Epoch == was || p[0].Epoch != again {
				e.Errorf("%s: epochs %q, %q, %q", name, was, p[0].Epoch, again)
			}
		}
	}},
	{"results name the epoch that is stored", func(e *env) {
		e.history = "first"
		th := e.thread()
		b := th.execute("r1")
		c := th.begun(b)
		e.history = "second"
		th = th.from(e.node("b"))
		res := th.ok(batch(c, 2, 1, "b"))
		same(th, "commit", res.End.Epoch, th.view().Epoch)
		e.history = "third"
		th = th.from(e.node("c"))
		same(th, "a begin sent again", th.begin(b).Position.Epoch, th.view().Epoch)
		e.history = "fourth"
		th = th.from(e.node("d"))
		same(th, "a commit sent again", th.ok(batch(c, 2, 1, "b")).End.Epoch, th.view().Epoch)
	}},
	{"a claim outlives the change of history", func(e *env) {
		clock := e.stopped()
		e.history = "first"
		th := e.thread()
		th.begun(th.execute("r1"))
		e.history = "second"
		th = th.from(e.node("b"))
		th.claimed("t2", store.ClaimNothing)
		clock.move(e.lease + time.Millisecond)
		same(th, "attempts", th.claimed("t2", store.ClaimTakeover).Attempts, 2)
	}},
}
