package runs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var CommitTests = []stage.Test{
	{"batches are logged in order, entries are journaled in order", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Batch(c, 2, 1, "b c")
		b.Entries = stage.Raws(`{"n":1} {"n":2}`)
		res := th.OK(b)
		v := th.View()
		stage.Same(th, "end", res.End, store.Position{Epoch: v.Epoch, Seq: 3})
		b = stage.Batch(c, 3, 3, "")
		long := `{"n":3,"text":"` + strings.Repeat("long", 100) + `"}`
		b.Entries = stage.Raws(long)
		th.OK(b)
		stage.Same(th, "log", th.Logged(), "start:r1 b c")
		stage.Same(th, "a commit decides nothing", th.View().Version, v.Version)
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "journal", stage.Show(stage.Must(th, x, err).Journal), stage.Show(stage.Raws(`{"n":1} {"n":2} `+long)))
	}},
	{"the last batch sent again is recognised", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Batch(c, 2, 1, "b")
		b.Entries = stage.Raws("1")
		first := th.OK(b)
		th.Unchanged(func() { stage.Same(th, "answer", th.Commit(b), first) })
		x, err := th.Store.Journal(e.Context(), c)
		stage.Same(th, "entries", len(stage.Must(th, x, err).Journal), 1)
	}},
	{"a batch for which nobody waits is answered as one that is committed", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		sent := func(b store.Batch) (res store.CommitResult, taken bool) {
			answered := make(chan error, 1)
			if taken = th.Store.(store.Sender).Send(e.Context(), b, func(r store.CommitResult, err error) { res = r; answered <- err }); taken {
				stage.Must(th, res, <-answered)
			}
			return res, taken
		}
		first := stage.Batch(c, 2, 1, "b c")
		stored, _ := sent(first)
		stage.Same(th, "answer", th.Commit(first), stored)
		for _, b := range []store.Batch{first, stage.Batch(c, 4, 3, "x"), stage.Batch(c, 3, 1, "x"), stage.Batch(store.Claim{Thread: c.Thread, RunID: c.RunID, Token: "old"}, 3, 3, "x")} {
			want := th.Commit(b)
			got, _ := sent(b)
			stage.Same(th, "answer", got, want)
		}
		note := stage.Batch(c, 3, 3, "")
		note.Bookkeeping = true
		for _, b := range []store.Batch{note, stage.Ending(c, 3, 3, "x", store.EndFinish), stage.Batch(c, 0, 3, "x")} {
			_, taken := sent(b)
			stage.Same(th, "taken", taken, false)
		}
		stage.Same(th, "log", th.Logged(), "start:r1 b c")
	}},
	{"the slice of a batch is the caller's again, its events are not", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		heard := stage.Listen(th.Store)
		used := stage.Events("b c")
		for i := range 3 {
			at := int64(1 + 2*i)
			res := th.OK(store.Batch{Claim: c, Number: int64(2 + i), Expect: at, Events: used})
			stage.Same(th, "end", res.End.Seq, at+2)
			copy(used, stage.Events(fmt.Sprintf("b%d c%d", i, i)))
		}
		stage.Same(th, "log", th.Logged(), "start:r1 b c b0 c0 b1 c1")
		stage.Same(th, "delivered", heard.Logged(th.Key), "2:b 3:c 4:b0 5:c0 6:b1 7:c1")
	}},
	{"a batch out of turn is refused and writes nothing", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.OK(stage.Batch(c, 2, 1, "b"))
		th.OK(stage.Batch(c, 3, 2, "c"))
		th.Unchanged(func() {
			stage.Same(th, "an older number", th.Commit(stage.Batch(c, 2, 1, "x")).Status, store.CommitMismatch)
			stage.Same(th, "an earlier position", th.Commit(stage.Batch(c, 4, 2, "x")).Status, store.CommitMismatch)
			stage.Same(th, "a number left out", th.Commit(stage.Batch(c, 5, 3, "x")).Status, store.CommitAhead)
			stage.Same(th, "a later position", th.Commit(stage.Batch(c, 4, 4, "x")).Status, store.CommitAhead)
			stage.Same(th, "an end from a later position", th.Commit(stage.Ending(c, 4, 4, "x", store.EndFinish)).Status, store.CommitAhead)
			stage.Same(th, "an end from an earlier one", th.Commit(stage.Ending(c, 4, 2, "x", store.EndFinish)).Status, store.CommitMismatch)
		})
	}},
	{"a stale token, run or dispatch epoch writes nothing and publishes nothing", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := e.Node("b")
		heard := stage.Listen(b)
		th.From(b).View(store.ReadQuery{Follower: true})
		stale := []store.Claim{c, c, c, c}
		stale[0].Token = "other"
		stale[1].Token = ""
		stale[2].RunID = "r0"
		stale[3].DispatchEpoch = 7
		th.Unchanged(func() {
			for _, c := range stale {
				stage.Same(th, "commit", th.Commit(stage.Batch(c, 2, 1, "x")).Status, store.CommitFenced)
				stage.Same(th, "end", th.Commit(stage.Ending(c, 2, 1, "x", store.EndFinish)).Status, store.CommitFenced)
				stage.Same(th, "activate", th.Activate(c).Status, store.CommitFenced)
				stage.Same(th, "renew", th.Renew(c), false)
				if err := th.Store.HandBack(e.Context(), c); err != nil {
					e.Error(err)
				}
				if _, err := th.Store.Journal(e.Context(), c); !errors.Is(err, store.ErrClaimLost) {
					e.Errorf("journal: %v", err)
				}
			}
		})
		th.OK(stage.Batch(c, 2, 1, "good"))
		stage.Eventually(th, "the follower hears", func() bool { return heard.Logged(th.Key) != "" })
		stage.Same(th, "heard", heard.Logged(th.Key), "2:good")
	}},
	{"a batch of thousands of events or of megabytes is one batch", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		many := strings.TrimSpace(strings.Repeat("e ", 5000))
		th.OK(stage.Batch(c, 2, 1, many))
		huge := strings.Repeat("x", 3<<20)
		th.OK(stage.Batch(c, 3, 5001, huge))
		b := stage.Ending(c, 4, 5002, many, store.EndSuspend)
		b.Entries = stage.Raws(many)
		th.OK(b)
		stage.Same(th, "log", th.Logged() == "start:r1 "+many+" "+huge+" "+many, true)
	}},
	{"runs that commit together each get their own verdict", func(e *stage.Env) {
		const threads, rounds = 40, 15
		s := e.Node("a")
		var group sync.WaitGroup
		var fenced atomic.Int64
		for i := range threads {
			group.Go(func() {
				th := e.On(s, fmt.Sprint("t", i))
				ctx := context.Background()
				c := store.Claim{Thread: th.Key, RunID: "r1", Token: "token-r1"}
				if _, err := s.Begin(ctx, store.Begin{Thread: th.Key, RunID: "r1", Kind: store.Execute{
					Claimed: store.Claimed{Token: "token-r1", Events: stage.Events("start")}, Fresh: stage.Fresh("r1")}}); err != nil {
					e.Error(err)
					return
				}
				for n := range int64(rounds) {
					if n%3 == 0 {
						stale := c
						stale.Token = "stale"
						res, err := s.Commit(ctx, stage.Batch(stale, n+2, n+1, "stale"))
						if err != nil || res.Status != store.CommitFenced {
							e.Errorf("stale: %v, %v", res, err)
						}
						fenced.Add(1)
					}
					res, err := s.Commit(ctx, stage.Batch(c, n+2, n+1, fmt.Sprint("e", n)))
					if err != nil || res.Status != store.CommitOK || res.End.Seq != n+2 {
						e.Errorf("thread %d commit %d: %+v, %v", i, n, res, err)
						return
					}
				}
			})
		}
		group.Wait()
		for i := range threads {
			th := e.On(s, fmt.Sprint("t", i))
			want := "start"
			for n := range rounds {
				want += fmt.Sprint(" e", n)
			}
			stage.Same(th, "log", th.Logged(), want)
		}
		stage.Same(e.On(s, "t0"), "stale ones", fenced.Load(), threads*rounds/3)
	}},
	{"a call whose context is over is not sent", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		ctx, cancel := context.WithCancel(e.Context())
		cancel()
		th.Unchanged(func() {
			if _, err := th.Store.Begin(ctx, th.Wait("r2")); err == nil {
				e.Error("begin: no error")
			}
			if _, err := th.Store.Commit(ctx, stage.Batch(c, 2, 1, "b")); err == nil {
				e.Error("commit: no error")
			}
			if _, err := th.Store.Commit(ctx, stage.Ending(c, 2, 1, "b", store.EndFinish)); err == nil {
				e.Error("end: no error")
			}
		})
	}},
}
