package storetest

import (
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var nackTests = []test{
	{"what is given back is queued again with its time, its error and one attempt more", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		claim := th.claimed("t1", store.ClaimQueued).Claim
		n := failing(claim)
		n.Wait = time.Minute
		first := th.nack(n)
		same(th, "state", first.State, store.DispatchQueued)
		d := th.dispatch("r1")
		same(th, "dispatch", words(d.State, d.Attempts, d.Error, d.ClaimedBy, d.LeaseUntil.IsZero(), d.Activated, d.Outcome == nil), "queued 1 boom a true false true")
		same(th, "available", d.Available, c.read().Add(time.Minute))
		if th.view().Active != nil {
			e.Error("a run is active")
		}
		th.unchanged(func() {
			same(th, "sent again", th.nack(n), first)
			same(th, "start", th.activate(claim).Status, store.CommitFenced)
			same(th, "renew", th.renew(claim), false)
		})
	}},
	{"an activation that fails for the last time is a dead letter", func(e *env) {
		th := e.thread()
		b := th.wait("r1")
		b.MaxAttempts = 2
		th.begun(b)
		th.begun(th.wait("r2"))
		same(th, "first", th.nack(failing(th.claimed("t1", store.ClaimQueued).Claim)).State, store.DispatchQueued)
		n := failing(th.claimed("t2", store.ClaimQueued).Claim)
		n.Error = "boom again"
		last := th.nack(n)
		same(th, "last", words(last.State, last.Ready), "dead_letter true")
		d := th.dispatch("r1")
		same(th, "dispatch", words(d.State, d.Attempts, d.Error, string(d.Outcome)), "dead_letter 2 boom again failed:r1")
		same(th, "log", th.log(), "start:r1 failed:r1")
		th.unchanged(func() { same(th, "sent again", th.nack(n), last) })
		th.carried("r2")
	}},
	{"what was claimed too often says so and leaves nothing running when it is buried", func(e *env) {
		c := e.stopped()
		th := e.thread()
		b := th.wait("r1")
		b.MaxAttempts = 2
		th.begun(b)
		claim := th.claimed("t1", store.ClaimQueued)
		th.activate(claim.Claim)
		for i, exhausted := range []bool{false, true} {
			c.move(e.lease + time.Millisecond)
			claim = th.claimed(fmt.Sprint("t", i+2), store.ClaimTakeover)
			same(th, "attempts", words(claim.Attempts, claim.Exhausted), words(i+2, exhausted))
		}
		th.unchanged(func() { same(th, "sent again", th.claim("t3"), claim) })
		th.bury(failing(claim.Claim))
		v := th.view(store.ReadQuery{RunID: "r1"})
		same(th, "run", words(v.Run.Status, v.Active == nil, th.dispatch("r1").State), "ended true dead_letter")
		same(th, "log", th.log(), "start:r1 failed:r1")
		c.move(time.Hour)
		th.claimed("t9", store.ClaimNothing)
	}},
	{"a dead letter stays one", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		claim := th.claimed("t1", store.ClaimQueued).Claim
		n := failing(claim)
		buried := th.bury(n)
		same(th, "state", buried.State, store.DispatchDeadLetter)
		before := th.dispatch("r1")
		c.move(time.Hour)
		th.unchanged(func() {
			same(th, "sent again", th.bury(n), buried)
			th.claimed("t2", store.ClaimNothing)
			same(th, "by id", th.claimRun("r1", "t3").Kind, store.ClaimNothing)
			same(th, "start", th.activate(claim).Status, store.CommitFenced)
			same(th, "stop", th.stop("label-r1"), store.StopResult{})
			same(th, "renew", th.renew(claim), false)
		})
		same(th, "dispatch", show(th.dispatch("r1")), show(before))
	}},
	{"a burial closes what the worker left open", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		b := batch(claim, 2, 1, "open")
		b.Closing = raws(`["close"]`)[0]
		th.ok(b)
		th.bury(failing(claim))
		same(th, "log", th.log(), `start:r1 open "close" failed:r1`)
		same(th, "boundary", th.view().Boundary, 4)
	}},
	{"a burial gives decisions back as a failure does", func(e *env) {
		th := e.thread()
		th.suspended()
		n := failing(th.begun(th.resume("r2", "exe-r1")))
		n.GiveBack = true
		first := th.bury(n)
		same(th, "gave back", words(first.GaveBack, first.Ready), "true false")
		v := th.view(store.ReadQuery{InterruptIDs: []string{"int"}})
		same(th, "suspension, answers", words(string(v.Suspension), len(v.Answers)), `{"open":["int"]} 0`)
		th.unchanged(func() { same(th, "sent again", th.bury(n), first) })
		th.begun(th.resume("r3", "exe-r1"))
	}},
	{"what was given back is claimed again, ahead of the others", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		claim := th.claimed("t1", store.ClaimQueued).Claim
		urgent := th.wait("r2")
		urgent.Priority = new(uint8(0))
		th.begun(urgent)
		th.nack(failing(claim))
		same(th, "in order", th.listed(), "r1:queued r2:queued")
		if !th.due() {
			e.Error("not due")
		}
		res := th.claimed("t2", store.ClaimQueued)
		same(th, "claim", words(res.Claim.RunID, res.Attempts, string(res.Input)), `r1 2 {"input":"r1"}`)
	}},
	{"a retry is claimed at its time and not before, on every node", func(e *env) {
		c := e.stopped()
		th := e.thread()
		other := th.from(e.node("b"))
		th.begun(th.wait("r1"))
		n := failing(th.claimed("t1", store.ClaimQueued).Claim)
		n.Wait = time.Minute
		th.nack(n)
		c.move(time.Minute - time.Millisecond)
		if other.due() {
			e.Error("due a millisecond too early")
		}
		other.claimed("t2", store.ClaimNothing)
		c.move(time.Millisecond)
		if !other.due() {
			e.Error("not due in time")
		}
		same(th, "attempts", other.claimed("t2", store.ClaimQueued).Attempts, 2)
		n = failing(store.Claim{Thread: th.key, RunID: "r1", Token: "t2"})
		n.Wait = time.Minute
		other.nack(n)
		same(th, "by id", th.claimRun("r1", "t3").Attempts, 3)
	}},
	{"a nack of a lost claim changes nothing", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.begun(th.wait("r1"))
		old := th.claimed("t1", store.ClaimQueued).Claim
		c.move(e.lease + time.Millisecond)
		th.claimed("t2", store.ClaimQueued)
		th.unchanged(func() {
			same(th, "nack", th.nack(failing(old)), store.NackResult{})
			same(th, "burial", th.bury(failing(old)), store.NackResult{})
		})
	}},
	{"a dead letter's execution goes on under the run that requeues it, once", func(e *env) {
		th := e.thread()
		claim := th.begun(th.execute("r1"))
		b := batch(claim, 2, 1, "b")
		b.Entries = raws(`"step"`)
		th.ok(b)
		th.bury(failing(claim))
		next := th.begun(th.requeue("r2", "exe-r1", "r1"))
		x, err := th.s.Journal(e.Context(), next)
		same(th, "execution", must(th, x, err).ID+string(x.Frozen)+show(x.Journal), `exe-r1{"of":"r1"}["step"]`)
		same(th, "requeued as", th.dispatch("r1").ContinuedAs, "r2")
		same(th, "counted", th.counts(), map[store.DispatchState]int64{store.DispatchClaimed: 1})
		th.ok(ending(next, 2, 4, "end", store.EndFinish))
		more := th.requeue("r3", "exe-r1", "r1")
		th.unchanged(func() { same(th, "twice", th.begin(more).Status, store.BeginGone) })
	}},
	{"a dead letter is begun again from the top, and not once its execution is forgotten", func(e *env) {
		th := e.thread()
		th.bury(failing(th.begun(th.execute("r1"))))
		th.ok(ending(th.begun(th.afresh("r2", "r1")), 2, 3, "end", store.EndFinish))
		same(th, "requeued as", th.dispatch("r1").ContinuedAs, "r2")
		twice := th.afresh("r2b", "r1")
		th.unchanged(func() { same(th, "twice", th.begin(twice).Status, store.BeginGone) })
		same(th, "counted", th.counts(), map[store.DispatchState]int64{store.DispatchAcked: 1})
		th.bury(failing(th.begun(th.execute("r3"))))
		th.ok(ending(th.begun(th.execute("r4")), 2, 7, "end", store.EndFinish))
		late := th.requeue("r5", "exe-r3", "r3")
		th.unchanged(func() { same(th, "another execution has begun", th.begin(late).Status, store.BeginGone) })
		none := th.afresh("r6", "none")
		th.unchanged(func() { same(th, "an unknown one", th.begin(none).Status, store.BeginGone) })
		same(th, "counted", th.counts(), map[store.DispatchState]int64{store.DispatchAcked: 2, store.DispatchDeadLetter: 1})
		same(th, "deleted", th.deleted(), true)
		same(th, "counted", len(th.counts()), 0)
	}},
}
