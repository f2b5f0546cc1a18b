package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
)

var commitTests = []test{
	{"batches are logged in order, entries are journaled in order", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := batch(c, 2, 1, "b c")
		b.Entries = raws(`{"n":1} {"n":2}`)
		res := th.ok(b)
		v := th.view()
		same(th, "end", res.End, store.Position{Epoch: v.Epoch, Seq: 3})
		b = batch(c, 3, 3, "")
		long := `{"n":3,"text":"` + strings.Repeat("long", 100) + `"}`
		b.Entries = raws(long)
		th.ok(b)
		same(th, "log", th.log(), "start:r1 b c")
		same(th, "a commit decides nothing", th.view().Version, v.Version)
		x, err := th.s.Journal(e.Context(), c)
		same(th, "journal", show(must(th, x, err).Journal), show(raws(`{"n":1} {"n":2} `+long)))
	}},
	{"the last batch sent again is recognised", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := batch(c, 2, 1, "b")
		b.Entries = raws("1")
		first := th.ok(b)
		th.unchanged(func() { same(th, "answer", th.commit(b), first) })
		x, err := th.s.Journal(e.Context(), c)
		same(th, "entries", len(must(th, x, err).Journal), 1)
	}},
	{"the slice of a batch is the caller's again, its events are not", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		heard := listen(th.s)
		used := events("b c")
		for i := range 3 {
			at := int64(1 + 2*i)
			res := th.ok(store.Batch{Claim: c, Number: int64(2 + i), Expect: at, Events: used})
			same(th, "end", res.End.Seq, at+2)
			copy(used, events(fmt.Sprintf("b%d c%d", i, i)))
		}
		same(th, "log", th.log(), "start:r1 b c b0 c0 b1 c1")
		same(th, "delivered", heard.log(th.key), "2:b 3:c 4:b0 5:c0 6:b1 7:c1")
	}},
	{"a batch out of turn is refused and writes nothing", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.ok(batch(c, 2, 1, "b"))
		th.ok(batch(c, 3, 2, "c"))
		th.unchanged(func() {
			same(th, "an older number", th.commit(batch(c, 2, 1, "x")).Status, store.CommitMismatch)
			same(th, "an earlier position", th.commit(batch(c, 4, 2, "x")).Status, store.CommitMismatch)
			same(th, "a number left out", th.commit(batch(c, 5, 3, "x")).Status, store.CommitAhead)
			same(th, "a later position", th.commit(batch(c, 4, 4, "x")).Status, store.CommitAhead)
			same(th, "an end from a later position", th.commit(ending(c, 4, 4, "x", store.EndFinish)).Status, store.CommitAhead)
			same(th, "an end from an earlier one", th.commit(ending(c, 4, 2, "x", store.EndFinish)).Status, store.CommitMismatch)
		})
	}},
	{"a stale token, run or dispatch epoch writes nothing and publishes nothing", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := e.node("b")
		heard := listen(b)
		th.from(b).view(store.ReadQuery{Follower: true})
		stale := []store.Claim{c, c, c, c}
		stale[0].Token = "other"
		stale[1].Token = ""
		stale[2].RunID = "r0"
		stale[3].DispatchEpoch = 7
		th.unchanged(func() {
			for _, c := range stale {
				same(th, "commit", th.commit(batch(c, 2, 1, "x")).Status, store.CommitFenced)
				same(th, "end", th.commit(ending(c, 2, 1, "x", store.EndFinish)).Status, store.CommitFenced)
				same(th, "activate", th.activate(c).Status, store.CommitFenced)
				same(th, "renew", th.renew(c), false)
				if err := th.s.HandBack(e.Context(), c); err != nil {
					e.Error(err)
				}
				if _, err := th.s.Journal(e.Context(), c); !errors.Is(err, store.ErrClaimLost) {
					e.Errorf("journal: %v", err)
				}
			}
		})
		th.ok(batch(c, 2, 1, "good"))
		eventually(th, "the follower hears", func() bool { return heard.log(th.key) != "" })
		same(th, "heard", heard.log(th.key), "2:good")
	}},
	{"a batch of thousands of events or of megabytes is one batch", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		many := strings.TrimSpace(strings.Repeat("e ", 5000))
		th.ok(batch(c, 2, 1, many))
		huge := strings.Repeat("x", 3<<20)
		th.ok(batch(c, 3, 5001, huge))
		b := ending(c, 4, 5002, many, store.EndSuspend)
		b.Entries = raws(many)
		th.ok(b)
		same(th, "log", th.log() == "start:r1 "+many+" "+huge+" "+many, true)
	}},
	{"runs that commit together each get their own verdict", func(e *env) {
		const threads, rounds = 40, 15
		s := e.node("a")
		var group sync.WaitGroup
		var fenced atomic.Int64
		for i := range threads {
			group.Go(func() {
				th := e.on(s, fmt.Sprint("t", i))
				ctx := context.Background()
				c := store.Claim{Thread: th.key, RunID: "r1", Token: "token-r1"}
				if _, err := s.Begin(ctx, store.Begin{Thread: th.key, RunID: "r1", Kind: store.Execute{
					Claimed: store.Claimed{Token: "token-r1", Events: events("start")}, Fresh: fresh("r1")}}); err != nil {
					e.Error(err)
					return
				}
				for n := range int64(rounds) {
					if n%3 == 0 {
						stale := c
						stale.Token = "stale"
						res, err := s.Commit(ctx, batch(stale, n+2, n+1, "stale"))
						if err != nil || res.Status != store.CommitFenced {
							e.Errorf("stale: %v, %v", res, err)
						}
						fenced.Add(1)
					}
					res, err := s.Commit(ctx, batch(c, n+2, n+1, fmt.Sprint("e", n)))
					if err != nil || res.Status != store.CommitOK || res.End.Seq != n+2 {
						e.Errorf("thread %d commit %d: %+v, %v", i, n, res, err)
						return
					}
				}
			})
		}
		group.Wait()
		for i := range threads {
			th := e.on(s, fmt.Sprint("t", i))
			want := "start"
			for n := range rounds {
				want += fmt.Sprint(" e", n)
			}
			same(th, "log", th.log(), want)
		}
		same(e.on(s, "t0"), "stale ones", fenced.Load(), threads*rounds/3)
	}},
	{"a call whose context is over is not sent", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		ctx, cancel := context.WithCancel(e.Context())
		cancel()
		th.unchanged(func() {
			if _, err := th.s.Begin(ctx, th.wait("r2")); err == nil {
				e.Error("begin: no error")
			}
			if _, err := th.s.Commit(ctx, batch(c, 2, 1, "b")); err == nil {
				e.Error("commit: no error")
			}
			if _, err := th.s.Commit(ctx, ending(c, 2, 1, "b", store.EndFinish)); err == nil {
				e.Error("end: no error")
			}
		})
	}},
}
