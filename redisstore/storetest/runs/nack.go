package runs

import (
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var NackTests = []stage.Test{
	{"what is given back is queued again with its time, its error and one attempt more", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		claim := th.Claimed("t1", store.ClaimQueued).Claim
		n := stage.Failing(claim)
		n.Wait = time.Minute
		first := th.Nack(n)
		stage.Same(th, "state", first.State, store.DispatchQueued)
		d := th.Dispatch("r1")
		stage.Same(th, "dispatch", stage.Words(d.State, d.Attempts, d.Error, d.ClaimedBy, d.LeaseUntil.IsZero(), d.Activated, d.Outcome == nil), "queued 1 boom a true false true")
		stage.Same(th, "available", d.Available, c.Read().Add(time.Minute))
		if th.View().Active != nil {
			e.Error("a run is active")
		}
		th.Unchanged(func() {
			stage.Same(th, "sent again", th.Nack(n), first)
			stage.Same(th, "start", th.Activate(claim).Status, store.CommitFenced)
			stage.Same(th, "renew", th.Renew(claim), false)
		})
	}},
	{"an activation that fails for the last time is a dead letter", func(e *stage.Env) {
		th := e.Thread()
		b := th.Wait("r1")
		b.MaxAttempts = 2
		th.Begun(b)
		th.Begun(th.Wait("r2"))
		stage.Same(th, "first", th.Nack(stage.Failing(th.Claimed("t1", store.ClaimQueued).Claim)).State, store.DispatchQueued)
		n := stage.Failing(th.Claimed("t2", store.ClaimQueued).Claim)
		n.Error = "boom again"
		last := th.Nack(n)
		stage.Same(th, "last", stage.Words(last.State, last.Ready), "dead_letter true")
		d := th.Dispatch("r1")
		stage.Same(th, "dispatch", stage.Words(d.State, d.Attempts, d.Error, string(d.Outcome)), "dead_letter 2 boom again failed:r1")
		stage.Same(th, "log", th.Logged(), "start:r1 failed:r1")
		th.Unchanged(func() { stage.Same(th, "sent again", th.Nack(n), last) })
		th.Carried("r2")
	}},
	{"what was claimed too often says so and leaves nothing running when it is buried", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		b := th.Wait("r1")
		b.MaxAttempts = 2
		th.Begun(b)
		claim := th.Claimed("t1", store.ClaimQueued)
		th.Activate(claim.Claim)
		for i, exhausted := range []bool{false, true} {
			c.Move(e.Lease + time.Millisecond)
			claim = th.Claimed(fmt.Sprint("t", i+2), store.ClaimTakeover)
			stage.Same(th, "attempts", stage.Words(claim.Attempts, claim.Exhausted), stage.Words(i+2, exhausted))
		}
		th.Unchanged(func() { stage.Same(th, "sent again", th.Claim("t3"), claim) })
		th.Bury(stage.Failing(claim.Claim))
		v := th.View(store.ReadQuery{RunID: "r1"})
		stage.Same(th, "run", stage.Words(v.Run.Status, v.Active == nil, th.Dispatch("r1").State), "ended true dead_letter")
		stage.Same(th, "log", th.Logged(), "start:r1 failed:r1")
		c.Move(time.Hour)
		th.Claimed("t9", store.ClaimNothing)
	}},
	{"a dead letter stays one", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		claim := th.Claimed("t1", store.ClaimQueued).Claim
		n := stage.Failing(claim)
		buried := th.Bury(n)
		stage.Same(th, "state", buried.State, store.DispatchDeadLetter)
		before := th.Dispatch("r1")
		c.Move(time.Hour)
		th.Unchanged(func() {
			stage.Same(th, "sent again", th.Bury(n), buried)
			th.Claimed("t2", store.ClaimNothing)
			stage.Same(th, "by id", th.ClaimRun("r1", "t3").Kind, store.ClaimNothing)
			stage.Same(th, "start", th.Activate(claim).Status, store.CommitFenced)
			stage.Same(th, "stop", th.Stop("label-r1"), store.StopResult{})
			stage.Same(th, "renew", th.Renew(claim), false)
		})
		stage.Same(th, "dispatch", stage.Show(th.Dispatch("r1")), stage.Show(before))
	}},
	{"a burial gives decisions back as a failure does", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		n := stage.Failing(th.Begun(th.Resume("r2", "exe-r1")))
		n.GiveBack = true
		first := th.Bury(n)
		stage.Same(th, "gave back", stage.Words(first.GaveBack, first.Ready), "true false")
		v := th.View(store.ReadQuery{InterruptIDs: []string{"int"}})
		stage.Same(th, "suspension, answers", stage.Words(string(v.Suspension), len(v.Answers)), `{"open":["int"]} 0`)
		th.Unchanged(func() { stage.Same(th, "sent again", th.Bury(n), first) })
		th.Begun(th.Resume("r3", "exe-r1"))
	}},
	{"what was given back is claimed again, ahead of the others", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		claim := th.Claimed("t1", store.ClaimQueued).Claim
		urgent := th.Wait("r2")
		urgent.Priority = new(uint8(0))
		th.Begun(urgent)
		th.Nack(stage.Failing(claim))
		stage.Same(th, "in order", th.Listed(), "r1:queued r2:queued")
		if !th.Due() {
			e.Error("not due")
		}
		res := th.Claimed("t2", store.ClaimQueued)
		stage.Same(th, "claim", stage.Words(res.Claim.RunID, res.Attempts, string(res.Input)), `r1 2 {"input":"r1"}`)
	}},
	{"what is given back twice waits by its own priority, and not by that of what it was ahead of", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		urgent := func(run string) store.Begin {
			b := th.Wait(run)
			b.Priority = new(uint8(1))
			return b
		}
		th.Begun(th.Wait("r1"))
		n := stage.Failing(th.Claimed("t1", store.ClaimQueued).Claim)
		th.Begun(urgent("r2"))
		n.Wait = time.Minute
		th.Nack(n)
		th.Carried("r2")
		c.Move(time.Minute)
		th.Nack(stage.Failing(th.Claimed("t2", store.ClaimQueued).Claim))
		th.Begun(urgent("r3"))
		th.Carried("r3")
		th.Carried("r1")
	}},
	{"a retry is claimed at its time and not before, on every node", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		other := th.From(e.Node("b"))
		th.Begun(th.Wait("r1"))
		n := stage.Failing(th.Claimed("t1", store.ClaimQueued).Claim)
		n.Wait = time.Minute
		th.Nack(n)
		c.Move(time.Minute - time.Millisecond)
		if other.Due() {
			e.Error("due a millisecond too early")
		}
		other.Claimed("t2", store.ClaimNothing)
		c.Move(time.Millisecond)
		if !other.Due() {
			e.Error("not due in time")
		}
		stage.Same(th, "attempts", other.Claimed("t2", store.ClaimQueued).Attempts, 2)
		n = stage.Failing(store.Claim{Thread: th.Key, RunID: "r1", Token: "t2"})
		n.Wait = time.Minute
		other.Nack(n)
		stage.Same(th, "by id", th.ClaimRun("r1", "t3").Attempts, 3)
	}},
	{"a dead letter's execution goes on under the run that requeues it, once", func(e *stage.Env) {
		th := e.Thread()
		claim := th.Begun(th.Execute("r1"))
		b := stage.Batch(claim, 2, 1, "b")
		b.Entries = stage.Raws(`"step"`)
		th.OK(b)
		th.Bury(stage.Failing(claim))
		next := th.Begun(th.Requeue("r2", "exe-r1", "r1"))
		x, err := th.Store.Journal(e.Context(), next)
		stage.Same(th, "execution", stage.Must(th, x, err).ID+string(x.Frozen)+stage.Show(x.Journal), `exe-r1{"of":"r1"}["step"]`)
		stage.Same(th, "requeued as", th.Dispatch("r1").ContinuedAs, "r2")
		stage.Same(th, "counted", th.Counts(), map[store.DispatchState]int64{store.DispatchClaimed: 1})
		th.OK(stage.Ending(next, 2, 4, "end", store.EndFinish))
		more := th.Requeue("r3", "exe-r1", "r1")
		th.Unchanged(func() { stage.Same(th, "twice", th.Begin(more).Status, store.BeginGone) })
	}},
	{"a dead letter is begun again from the top, and not once its execution is forgotten", func(e *stage.Env) {
		th := e.Thread()
		th.Bury(stage.Failing(th.Begun(th.Execute("r1"))))
		th.OK(stage.Ending(th.Begun(th.Afresh("r2", "r1")), 2, 3, "end", store.EndFinish))
		stage.Same(th, "requeued as", th.Dispatch("r1").ContinuedAs, "r2")
		twice := th.Afresh("r2b", "r1")
		th.Unchanged(func() { stage.Same(th, "twice", th.Begin(twice).Status, store.BeginGone) })
		stage.Same(th, "counted", th.Counts(), map[store.DispatchState]int64{store.DispatchAcked: 1})
		th.Bury(stage.Failing(th.Begun(th.Execute("r3"))))
		th.OK(stage.Ending(th.Begun(th.Execute("r4")), 2, 7, "end", store.EndFinish))
		late := th.Requeue("r5", "exe-r3", "r3")
		th.Unchanged(func() { stage.Same(th, "another execution has begun", th.Begin(late).Status, store.BeginGone) })
		none := th.Afresh("r6", "none")
		th.Unchanged(func() { stage.Same(th, "an unknown one", th.Begin(none).Status, store.BeginGone) })
		stage.Same(th, "counted", th.Counts(), map[store.DispatchState]int64{store.DispatchAcked: 2, store.DispatchDeadLetter: 1})
		stage.Same(th, "deleted", stage.Deleted(th), true)
		stage.Same(th, "counted", len(th.Counts()), 0)
	}},
}
