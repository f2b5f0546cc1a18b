package runs

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var ClaimTests = []stage.Test{
	{"the head of the queue is claimed, first in first out", func(e *stage.Env) {
		th := e.Thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			th.Begun(th.Wait(run))
		}
		seq := int64(0)
		for _, run := range []string{"r1", "r2", "r3"} {
			version := th.View().Version
			res := th.Claimed("token-"+run, store.ClaimQueued)
			stage.Same(th, "claim", res, store.ClaimResult{Kind: store.ClaimQueued, Attempts: 1, Input: stage.Raws(`{"input":"` + run + `"}`)[0],
				Record: stage.Raws(`{"run":"` + run + `"}`)[0], Claim: store.Claim{Thread: th.Key, RunID: run, Token: "token-" + run}})
			stage.Same(th, "version", th.View().Version, version+1)
			stage.Same(th, "active", th.View().Active.ID, run)
			stage.Same(th, "log", th.View().Seq, seq)
			if th.Due() {
				e.Error("due while claimed")
			}
			th.Claimed("other", store.ClaimNothing)
			act := th.Activate(res.Claim)
			stage.Same(th, "activated", act, store.CommitResult{End: store.Position{Epoch: th.View().Epoch, Seq: seq + 1}})
			stage.Same(th, "latest", th.View().Latest.RunStarted, seq+1)
			th.OK(stage.Ending(res.Claim, 2, seq+1, "end", store.EndFinish))
			seq += 2
		}
		th.Claimed("t", store.ClaimNothing)
		stage.Same(th, "log", th.Logged(), "start:r1 end start:r2 end start:r3 end")
	}},
	{"an activation sent again is recognised, and nothing else is one", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		c := th.Claimed("t1", store.ClaimQueued).Claim
		first := th.Activate(c)
		th.Unchanged(func() { stage.Same(th, "answer", th.Activate(c), first) })
		th.OK(stage.Batch(c, 2, 1, "b"))
		th.Unchanged(func() { stage.Same(th, "later", th.Activate(c).Status, store.CommitMismatch) })
	}},
	{"a run that was taken over is not activated again", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		c.Move(e.Lease + time.Millisecond)
		claim := th.Claimed("t2", store.ClaimTakeover).Claim
		th.Unchanged(func() { stage.Same(th, "status", th.Activate(claim).Status, store.CommitMismatch) })
		th.OK(stage.Batch(claim, 1, 1, "b"))
		th.Unchanged(func() { stage.Same(th, "its first batch is none", th.Activate(claim).Status, store.CommitMismatch) })
		inline := e.On(th.Store, "inline")
		claim = inline.Begun(inline.Execute("r1"))
		inline.Unchanged(func() { stage.Same(th, "its begin is none", inline.Activate(claim).Status, store.CommitMismatch) })
	}},
	{"a run that starts ahead of a released queue holds it", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		c := th.Begun(th.Execute("r2"))
		if th.Due() {
			e.Error("due while a run is active")
		}
		th.Claimed("t", store.ClaimNothing)
		if !th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish)).Ready || !th.Due() {
			e.Error("not released at its end")
		}
	}},
	{"a claim sent again answers the same claim", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		first := th.Claimed("t1", store.ClaimQueued)
		th.Unchanged(func() { stage.Same(th, "queued", th.Claim("t1"), first) })
		th.Activate(first.Claim)
		c.Move(e.Lease + time.Millisecond)
		second := th.Claimed("t2", store.ClaimTakeover)
		th.Unchanged(func() { stage.Same(th, "takeover", th.Claim("t2"), second) })
	}},
	{"a lease ends strictly after its last millisecond", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		c.Move(e.Lease)
		if th.Due() {
			e.Error("due in its last millisecond")
		}
		th.Claimed("t2", store.ClaimNothing)
		c.Move(time.Millisecond)
		if !th.Due() {
			e.Error("not due after it")
		}
		res := th.Claimed("t2", store.ClaimTakeover)
		stage.Same(th, "attempts", res.Attempts, 2)
		stage.Same(th, "record", string(res.Record), `{"run":"r1"}`)
		if th.Due() {
			e.Error("due after the takeover")
		}
	}},
	{"a takeover fences the old owner for good", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		heardA := stage.Listen(th.Store)
		other := th.From(e.Node("b"))
		old := th.Begun(th.Execute("r1"))
		th.OK(stage.Batch(old, 2, 1, "b"))
		c.Move(e.Lease + time.Millisecond)
		claim := other.Claimed("t2", store.ClaimTakeover).Claim
		th.Unchanged(func() {
			stage.Same(th, "renew", th.Renew(old), false)
			stage.Same(th, "commit", th.Commit(stage.Batch(old, 3, 2, "x")).Status, store.CommitFenced)
			stage.Same(th, "end", th.Commit(stage.Ending(old, 3, 2, "x", store.EndFinish)).Status, store.CommitFenced)
			if err := th.Store.HandBack(e.Context(), old); err != nil {
				e.Error(err)
			}
		})
		stage.Eventually(th, "the old node hears that it is fenced", func() bool {
			return heardA.Count(store.DeliverFenced, th.Key, old.Token) == 1
		})
		x, err := other.Store.Journal(e.Context(), claim)
		stage.Same(th, "crashes, started", []int64{int64(stage.Must(other, x, err).Crashes), x.RunStarted}, []int64{1, 1})
		other.OK(stage.Batch(claim, 1, 2, "c"))
		other.OK(stage.Ending(claim, 2, 3, "end", store.EndFinish))
		stage.Same(th, "log", th.Logged(), "start:r1 b c end")
	}},
	{"a lease is renewed from now, and only by its owner", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		claim := th.Begun(th.Execute("r1"))
		c.Move(e.Lease - time.Second)
		stage.Same(th, "renewed", th.Renew(claim), true)
		c.Move(e.Lease)
		th.Claimed("t2", store.ClaimNothing)
		stranger := claim
		stranger.Token = "stranger"
		stage.Same(th, "by a stranger", th.Renew(stranger), false)
		c.Move(time.Millisecond)
		th.Claimed("t2", store.ClaimTakeover)
	}},
	{"a run that has a holder can be spared when its lease is over", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		spared := func(token string, kind store.ClaimKind) store.Claim {
			th.Helper()
			res, err := th.Store.Claim(e.Context(), store.ClaimRequest{Thread: th.Key, Token: token, Spare: true})
			if err != nil {
				e.Fatal(err)
			}
			stage.Same(th, "kind", res.Kind, kind)
			return res.Claim
		}
		th.Begun(th.Wait("r1"))
		claim := spared("t1", store.ClaimQueued)
		th.Activate(claim)
		c.Move(e.Lease + time.Millisecond)
		th.Unchanged(func() { spared("t2", store.ClaimNothing) })
		stage.Same(th, "its holder goes on", th.Renew(claim), true)
		if err := th.Store.HandBack(e.Context(), claim); err != nil {
			e.Fatal(err)
		}
		spared("t3", store.ClaimTakeover)
	}},
	{"a claim that was never activated is claimed as queued again", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		old := th.Claimed("t1", store.ClaimQueued).Claim
		c.Move(e.Lease + time.Millisecond)
		res := th.Claimed("t2", store.ClaimQueued)
		stage.Same(th, "attempts, input", fmt.Sprint(res.Attempts, string(res.Input)), `2{"input":"r1"}`)
		th.Unchanged(func() { stage.Same(th, "old owner", th.Activate(old).Status, store.CommitFenced) })
		stage.Same(th, "new owner", th.Activate(res.Claim).Status, store.CommitOK)
	}},
	{"a claim handed back is another node's at once, and the attempt is not counted", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		heard := stage.Listen(other.Store)
		old := th.Begun(th.Execute("r1"))
		if err := th.Store.HandBack(e.Context(), old); err != nil {
			e.Fatal(err)
		}
		stage.Eventually(th, "the other node is told", func() bool { return heard.Count(store.DeliverWork, th.Key, "") == 1 })
		if !other.Due() {
			e.Error("not due")
		}
		stage.Same(th, "commit", th.Commit(stage.Batch(old, 2, 1, "x")).Status, store.CommitFenced)
		res := other.Claimed("t2", store.ClaimTakeover)
		stage.Same(th, "attempts", res.Attempts, 1)
		x, err := other.Store.Journal(e.Context(), res.Claim)
		stage.Same(th, "crashes", stage.Must(other, x, err).Crashes, 0)
	}},
	{"of many concurrent claims one wins, whatever is claimed", func(e *stage.Env) {
		c := e.Stopped()
		nodes := []*stage.Thread{e.Thread()}
		nodes = append(nodes, nodes[0].From(e.Node("b")), nodes[0].From(e.Node("c")))
		race := func(round string) (winner store.ClaimResult) {
			var group sync.WaitGroup
			var won atomic.Int64
			for i := range 24 {
				group.Go(func() {
					res, err := nodes[i%3].Store.Claim(e.Context(), store.ClaimRequest{Thread: nodes[0].Key, Token: fmt.Sprint(round, i)})
					if err != nil {
						e.Error(err)
					} else if res.Kind != store.ClaimNothing && won.Add(1) == 1 {
						winner = res
					}
				})
			}
			group.Wait()
			stage.Same(nodes[0], round+": winners", won.Load(), 1)
			return winner
		}
		nodes[0].Begun(nodes[0].Wait("r1"))
		nodes[0].Begun(nodes[0].Wait("r2"))
		stage.Same(nodes[0], "run", race("queued").Claim.RunID, "r1")
		c.Move(e.Lease + time.Millisecond)
		nodes[0].Activate(race("again").Claim)
		c.Move(e.Lease + time.Millisecond)
		stage.Same(nodes[0], "attempts", race("takeover").Attempts, 3)
	}},
	{"attempts count from the last record of the run", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		b := th.Execute("r1")
		b.MaxAttempts = 2
		claim, number := th.Begun(b), int64(2)
		for i, step := range []struct {
			batches   string // of records; "note" is bookkeeping
			attempts  int
			exhausted bool
		}{
			{"", 2, false},
			{"step", 1, false},
			{"note", 2, false},
			{"note step note", 1, false},
			{"note note note", 2, false},
			{"note note step", 1, false},
			{"", 2, false},
			{"", 3, true},
		} {
			for _, record := range strings.Fields(step.batches) {
				b := stage.Batch(claim, number, 1, "")
				b.Entries, b.Bookkeeping = stage.Raws(strconv.Quote(record)), record == "note"
				th.OK(b)
				number++
			}
			c.Move(e.Lease + time.Millisecond)
			res := th.Claimed(fmt.Sprint("t", i+2), store.ClaimTakeover)
			stage.Same(th, fmt.Sprint("claim ", i), stage.Words(res.Attempts, res.Exhausted), stage.Words(step.attempts, step.exhausted))
			stage.Same(th, "dispatch", th.Dispatch("r1").Attempts, step.attempts)
			th.Unchanged(func() { stage.Same(th, "sent again", th.Claim(fmt.Sprint("t", i+2)), res) })
			claim, number = res.Claim, 1
		}
	}},
	{"what was recorded before a run is none of its progress", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		b := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "asks", store.EndSuspend)
		b.Entries = stage.Raws(`"step" "asked"`)
		th.OK(b)
		th.Begun(th.Resume("r2", "exe-r1"))
		c.Move(e.Lease + time.Millisecond)
		res := th.Claimed("t2", store.ClaimTakeover)
		stage.Same(th, "after the decisions", res.Attempts, 2)
		b = stage.Batch(res.Claim, 1, 3, "")
		b.Entries = stage.Raws(`"step"`)
		th.OK(b)
		th.Bury(stage.Failing(res.Claim))
		claim := th.Begun(th.Requeue("r3", "exe-r1", "r2"))
		c.Move(e.Lease + time.Millisecond)
		stage.Same(th, "after a dead letter", th.Claimed("t3", store.ClaimTakeover).Attempts, 2)
		stage.Same(th, "renew", th.Renew(claim), false)
		other := e.On(th.Store, "other")
		other.Begun(other.Wait("r1"))
		other.Activate(other.Claimed("t1", store.ClaimQueued).Claim)
		c.Move(e.Lease + time.Millisecond)
		stage.Same(th, "from the queue", other.Claimed("t2", store.ClaimTakeover).Attempts, 2)
	}},
	{"due names what is ready and what has expired, up to the limit", func(e *stage.Env) {
		c := e.Stopped()
		s := e.Node("a")
		for i := range 6 {
			th := e.On(s, fmt.Sprint("t", i))
			if i < 3 {
				th.Begun(th.Execute("r1"))
			} else {
				th.Begun(th.Wait("r1"))
			}
		}
		count := func(limit int) int {
			keys, err := stage.Wanting(e.Context(), s, limit)
			if err != nil {
				e.Fatal(err)
			}
			return len(keys)
		}
		th := e.On(s, "t0")
		stage.Same(th, "ready", count(100), 3)
		c.Move(e.Lease + time.Millisecond)
		stage.Same(th, "and expired", count(100), 6)
		stage.Same(th, "limit", count(4), 4)
	}},
}
