package storetest

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var claimTests = []test{
	{"the head of the queue is claimed, first in first out", func(e *env) {
		th := e.thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			th.begun(th.wait(run))
		}
		seq := int64(0)
		for _, run := range []string{"r1", "r2", "r3"} {
			version := th.view().Version
			res := th.claimed("token-"+run, store.ClaimQueued)
			same(th, "claim", res, store.ClaimResult{Kind: store.ClaimQueued, Attempts: 1, Input: raws(`{"input":"` + run + `"}`)[0],
				Record: raws(`{"run":"` + run + `"}`)[0], Claim: store.Claim{Thread: th.key, RunID: run, Token: "token-" + run}})
			same(th, "version", th.view().Version, version+1)
			same(th, "active", th.view().Active.ID, run)
			same(th, "log", th.view().Seq, seq)
			if th.due() {
				e.Error("due while claimed")
			}
			th.claimed("other", store.ClaimNothing)
			act := th.activate(res.Claim)
			same(th, "activated", act, store.CommitResult{End: store.Position{Epoch: th.view().Epoch, Seq: seq + 1}})
			same(th, "latest", th.view().Latest.RunStarted, seq+1)
			th.ok(ending(res.Claim, 2, seq+1, "end", store.EndFinish))
			seq += 2
		}
		th.claimed("t", store.ClaimNothing)
		same(th, "log", th.log(), "start:r1 end start:r2 end start:r3 end")
	}},
	{"an activation sent again is recognised, and nothing else is one", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		c := th.claimed("t1", store.ClaimQueued).Claim
		first := th.activate(c)
		th.unchanged(func() { same(th, "answer", th.activate(c), first) })
		th.ok(batch(c, 2, 1, "b"))
		th.unchanged(func() { same(th, "later", th.activate(c).Status, store.CommitMismatch) })
	}},
	{"a run that was taken over is not activated again", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.execute("r1"))
		c.move(e.lease + time.Millisecond)
		claim := th.claimed("t2", store.ClaimTakeover).Claim
		th.unchanged(func() { same(th, "status", th.activate(claim).Status, store.CommitMismatch) })
		th.ok(batch(claim, 1, 1, "b"))
		th.unchanged(func() { same(th, "its first batch is none", th.activate(claim).Status, store.CommitMismatch) })
		inline := e.on(th.s, "inline")
		claim = inline.begun(inline.execute("r1"))
		inline.unchanged(func() { same(th, "its begin is none", inline.activate(claim).Status, store.CommitMismatch) })
	}},
	{"what has ended, whichever way, is not due again", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		ends := map[string]func(th *thread, claim store.Claim){
			"finish":  func(th *thread, claim store.Claim) { th.ok(ending(claim, 2, 1, "end", store.EndFinish)) },
			"suspend": func(th *thread, claim store.Claim) { th.ok(ending(claim, 2, 1, "asks", store.EndSuspend)) },
			"stop":    func(th *thread, claim store.Claim) { th.stop("label-r1") },
		}
		for name, end := range ends {
			th := e.on(s, name)
			end(th, th.begun(th.execute("r1")))
			c.move(2 * e.lease)
			if th.due() {
				e.Errorf("%s: due", name)
			}
			th.claimed("t2", store.ClaimNothing)
		}
	}},
	{"a run that starts ahead of a released queue holds it", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		c := th.begun(th.execute("r2"))
		if th.due() {
			e.Error("due while a run is active")
		}
		th.claimed("t", store.ClaimNothing)
		if !th.ok(ending(c, 2, 1, "end", store.EndFinish)).Ready || !th.due() {
			e.Error("not released at its end")
		}
	}},
	{"a claim sent again answers the same claim", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		first := th.claimed("t1", store.ClaimQueued)
		th.unchanged(func() { same(th, "queued", th.claim("t1"), first) })
		th.activate(first.Claim)
		c.move(e.lease + time.Millisecond)
		second := th.claimed("t2", store.ClaimTakeover)
		th.unchanged(func() { same(th, "takeover", th.claim("t2"), second) })
	}},
	{"a lease ends strictly after its last millisecond", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.execute("r1"))
		c.move(e.lease)
		if th.due() {
			e.Error("due in its last millisecond")
		}
		th.claimed("t2", store.ClaimNothing)
		c.move(time.Millisecond)
		if !th.due() {
			e.Error("not due after it")
		}
		res := th.claimed("t2", store.ClaimTakeover)
		same(th, "attempts", res.Attempts, 2)
		same(th, "record", string(res.Record), `{"run":"r1"}`)
		if th.due() {
			e.Error("due after the takeover")
		}
	}},
	{"a takeover fences the old owner for good", func(e *env) {
		c := e.stopped()
		th := e.thread()
		heardA := listen(th.s)
		other := th.from(e.node("b"))
		old := th.begun(th.execute("r1"))
		th.ok(batch(old, 2, 1, "b"))
		c.move(e.lease + time.Millisecond)
		claim := other.claimed("t2", store.ClaimTakeover).Claim
		th.unchanged(func() {
			same(th, "renew", th.renew(old), false)
			same(th, "commit", th.commit(batch(old, 3, 2, "x")).Status, store.CommitFenced)
			same(th, "end", th.commit(ending(old, 3, 2, "x", store.EndFinish)).Status, store.CommitFenced)
			if err := th.s.HandBack(e.Context(), old); err != nil {
				e.Error(err)
			}
		})
		eventually(th, "the old node hears that it is fenced", func() bool {
			return heardA.count(store.DeliverFenced, th.key, old.Token) == 1
		})
		x, err := other.s.Journal(e.Context(), claim)
		same(th, "crashes, started", []int64{int64(must(other, x, err).Crashes), x.RunStarted}, []int64{1, 1})
		other.ok(batch(claim, 1, 2, "c"))
		other.ok(ending(claim, 2, 3, "end", store.EndFinish))
		same(th, "log", th.log(), "start:r1 b c end")
	}},
	{"a lease is renewed from now, and only by its owner", func(e *env) {
		c := e.stopped()
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		c.move(e.lease - time.Second)
		same(th, "renewed", th.renew(claim), true)
		c.move(e.lease)
		th.claimed("t2", store.ClaimNothing)
		stranger := claim
		stranger.Token = "stranger"
		same(th, "by a stranger", th.renew(stranger), false)
		c.move(time.Millisecond)
		th.claimed("t2", store.ClaimTakeover)
	}},
	{"a run that has a holder can be spared when its lease is over", func(e *env) {
		c := e.stopped()
		th := e.thread()
		spared := func(token string, kind store.ClaimKind) store.Claim {
			th.Helper()
			res, err := th.s.Claim(e.Context(), store.ClaimRequest{Thread: th.key, Token: token, Spare: true})
			if err != nil {
				e.Fatal(err)
			}
			same(th, "kind", res.Kind, kind)
			return res.Claim
		}
		th.begun(th.wait("r1"))
		claim := spared("t1", store.ClaimQueued)
		th.activate(claim)
		c.move(e.lease + time.Millisecond)
		th.unchanged(func() { spared("t2", store.ClaimNothing) })
		same(th, "its holder goes on", th.renew(claim), true)
		if err := th.s.HandBack(e.Context(), claim); err != nil {
			e.Fatal(err)
		}
		spared("t3", store.ClaimTakeover)
	}},
	{"a claim that was never activated is claimed as queued again", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		old := th.claimed("t1", store.ClaimQueued).Claim
		c.move(e.lease + time.Millisecond)
		res := th.claimed("t2", store.ClaimQueued)
		same(th, "attempts, input", fmt.Sprint(res.Attempts, string(res.Input)), `2{"input":"r1"}`)
		th.unchanged(func() { same(th, "old owner", th.activate(old).Status, store.CommitFenced) })
		same(th, "new owner", th.activate(res.Claim).Status, store.CommitOK)
	}},
	{"a claim handed back is another node's at once, and the attempt is not counted", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		heard := listen(other.s)
		old := th.begun(th.execute("r1"))
		if err := th.s.HandBack(e.Context(), old); err != nil {
			e.Fatal(err)
		}
		eventually(th, "the other node is told", func() bool { return heard.count(store.DeliverWork, th.key, "") == 1 })
		if !other.due() {
			e.Error("not due")
		}
		same(th, "commit", th.commit(batch(old, 2, 1, "x")).Status, store.CommitFenced)
		res := other.claimed("t2", store.ClaimTakeover)
		same(th, "attempts", res.Attempts, 1)
		x, err := other.s.Journal(e.Context(), res.Claim)
		same(th, "crashes", must(other, x, err).Crashes, 0)
	}},
	{"of many concurrent claims one wins, whatever is claimed", func(e *env) {
		c := e.stopped()
		nodes := []*thread{e.thread()}
		nodes = append(nodes, nodes[0].from(e.node("b")), nodes[0].from(e.node("c")))
		race := func(round string) (winner store.ClaimResult) {
			var group sync.WaitGroup
			var won atomic.Int64
			for i := range 24 {
				group.Go(func() {
					res, err := nodes[i%3].s.Claim(e.Context(), store.ClaimRequest{Thread: nodes[0].key, Token: fmt.Sprint(round, i)})
					if err != nil {
						e.Error(err)
					} else if res.Kind != store.ClaimNothing && won.Add(1) == 1 {
						winner = res
					}
				})
			}
			group.Wait()
			same(nodes[0], round+": winners", won.Load(), 1)
			return winner
		}
		nodes[0].begun(nodes[0].wait("r1"))
		nodes[0].begun(nodes[0].wait("r2"))
		same(nodes[0], "run", race("queued").Claim.RunID, "r1")
		c.move(e.lease + time.Millisecond)
		nodes[0].activate(race("again").Claim)
		c.move(e.lease + time.Millisecond)
		same(nodes[0], "attempts", race("takeover").Attempts, 3)
	}},
	{"attempts count from the last record of the run", func(e *env) {
		c := e.stopped()
		th := e.thread()
		b := th.execute("r1")
		b.MaxAttempts = 2
		claim, number := th.begun(b), int64(2)
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
				b := batch(claim, number, 1, "")
				b.Entries, b.Bookkeeping = raws(strconv.Quote(record)), record == "note"
				th.ok(b)
				number++
			}
			c.move(e.lease + time.Millisecond)
			res := th.claimed(fmt.Sprint("t", i+2), store.ClaimTakeover)
			same(th, fmt.Sprint("claim ", i), words(res.Attempts, res.Exhausted), words(step.attempts, step.exhausted))
			same(th, "dispatch", th.dispatch("r1").Attempts, step.attempts)
			th.unchanged(func() { same(th, "sent again", th.claim(fmt.Sprint("t", i+2)), res) })
			claim, number = res.Claim, 1
		}
	}},
	{"what was recorded before a run is none of its progress", func(e *env) {
		c := e.stopped()
		th := e.thread()
		b := ending(th.begun(th.execute("r1")), 2, 1, "asks", store.EndSuspend)
		b.Entries = raws(`"step" "asked"`)
		th.ok(b)
		th.begun(th.resume("r2", "exe-r1"))
		c.move(e.lease + time.Millisecond)
		res := th.claimed("t2", store.ClaimTakeover)
		same(th, "after the decisions", res.Attempts, 2)
		b = batch(res.Claim, 1, 3, "")
		b.Entries = raws(`"step"`)
		th.ok(b)
		th.bury(failing(res.Claim))
		claim := th.begun(th.requeue("r3", "exe-r1", "r2"))
		c.move(e.lease + time.Millisecond)
		same(th, "after a dead letter", th.claimed("t3", store.ClaimTakeover).Attempts, 2)
		same(th, "renew", th.renew(claim), false)
		other := e.on(th.s, "other")
		other.begun(other.wait("r1"))
		other.activate(other.claimed("t1", store.ClaimQueued).Claim)
		c.move(e.lease + time.Millisecond)
		same(th, "from the queue", other.claimed("t2", store.ClaimTakeover).Attempts, 2)
	}},
	{"due names what is ready and what has expired, up to the limit", func(e *env) {
		c := e.stopped()
		s := e.node("a")
		for i := range 6 {
			th := e.on(s, fmt.Sprint("t", i))
			if i < 3 {
				th.begun(th.execute("r1"))
			} else {
				th.begun(th.wait("r1"))
			}
		}
		count := func(limit int) int {
			keys, err := wanting(e.Context(), s, limit)
			if err != nil {
				e.Fatal(err)
			}
			return len(keys)
		}
		th := e.on(s, "t0")
		same(th, "ready", count(100), 3)
		c.move(e.lease + time.Millisecond)
		same(th, "and expired", count(100), 6)
		same(th, "limit", count(4), 4)
	}},
}
