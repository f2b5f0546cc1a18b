// Package runs holds what a store promises of runs: how they are admitted, claimed, written,
// ended, tried again and stopped.
package runs

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var BeginTests = []stage.Test{
	{"an accepted run is claimed and its start is logged", func(e *stage.Env) {
		th := e.Thread()
		res := th.Begin(th.Execute("r1"))
		stage.Same(th, "status", res.Status, store.BeginAccepted)
		stage.Same(th, "claim", res.Claim, store.Claim{Thread: th.Key, RunID: "r1", Token: "token-r1"})
		v := th.View()
		stage.Same(th, "start", res.Position, store.Position{Epoch: v.Epoch, Seq: 0})
		stage.Same(th, "log", stage.Text(v.Log), "start:r1")
		stage.Same(th, "active", v.Active.ID+string(v.Active.Status), "r1active")
		stage.Same(th, "latest", v.Latest.ID, "r1")
		stage.Same(th, "numbers", []int64{v.Version, v.Seq, v.Boundary, v.Active.RunStarted}, []int64{1, 1, 0, 1})
		x, err := th.Store.Journal(e.Context(), res.Claim)
		stage.Must(th, x, err)
		stage.Same(th, "execution", x.ID+string(x.Frozen)+x.Agent, `exe-r1{"of":"r1"}agent`)
		if d := v.Now.Sub(x.Began); d < 0 || d > time.Minute {
			e.Errorf("began %v ago", d)
		}
	}},
	{"a version that has moved is stale and changes nothing", func(e *stage.Env) {
		th := e.Thread()
		old := th.Execute("r2")
		queued := th.Wait("r3")
		th.Begun(th.Execute("r1"))
		th.Unchanged(func() {
			stage.Same(th, "status", th.Begin(old).Status, store.BeginStale)
			stage.Same(th, "status", th.Begin(queued).Status, store.BeginStale)
			old.Version = 99
			stage.Same(th, "status", th.Begin(old).Status, store.BeginStale)
		})
	}},
	{"the deadline itself is in time, a millisecond later is not and changes nothing", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		b := th.Execute("r1")
		b.Deadline = c.Read().UnixMilli()
		c.Move(time.Millisecond)
		th.Unchanged(func() { stage.Same(th, "status", th.Begin(b).Status, store.BeginExpired) })
		c.Move(-time.Millisecond)
		th.Begun(b)
	}},
	{"the same run id again answers as the first time", func(e *stage.Env) {
		th := e.Thread()
		b := th.Execute("r1")
		first := th.Begin(b)
		th.OK(stage.Batch(first.Claim, 2, 1, "b"))
		th.Unchanged(func() { stage.Same(th, "answer", th.Begin(b), first) })
		other := stage.With(b, func(k *store.Execute) { k.Token = "another" })
		stage.Same(th, "claim under another token", th.Begin(other).Claim, store.Claim{})
		th.OK(stage.Ending(first.Claim, 3, 2, "end", store.EndFinish))
		th.Unchanged(func() {
			again := th.Begin(b)
			stage.Same(th, "status", again.Status, store.BeginAccepted)
			stage.Same(th, "start", again.Position, first.Position)
			stage.Same(th, "claim of an ended run", again.Claim, store.Claim{})
		})
	}},
	{"a queued run sent again is queued once", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		b := th.Wait("r2")
		first := th.Begin(b)
		th.Unchanged(func() { stage.Same(th, "answer", th.Begin(b), first) })
		stage.Same(th, "queue", len(th.View().Queue), 1)
	}},
	{"a start while a run is active is an error and changes nothing", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		th.Unchanged(func() { refused(th, th.Execute("r2")) })
	}},
	{"a start past an open interrupt is an error and changes nothing", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		th.Unchanged(func() { refused(th, th.Execute("r2")) })
	}},
	{"an answer to nothing, or to another execution, is an error and changes nothing", func(e *stage.Env) {
		th := e.Thread()
		th.Unchanged(func() { refused(th, th.Resume("r2", "exe-r1")) })
		th.Suspended()
		th.Unchanged(func() { refused(th, th.Resume("r2", "exe-other")) })
	}},
	{"queued runs wait in order with their inputs", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			res := th.Begin(th.Wait(run))
			stage.Same(th, "start is the log's end", res.Position.Seq, 1)
			stage.Same(th, "claim", res.Claim, store.Claim{})
		}
		v := th.View(store.ReadQuery{RunID: "r3", Inputs: true})
		for i, run := range []string{"r2", "r3", "r4"} {
			q := v.Queue[i]
			stage.Same(th, "queued", stage.Words(q.ID, string(q.Record), string(q.Input)), stage.Words(run, `{"run":"`+run+`"}`, `{"input":"`+run+`"}`))
			stage.Same(th, "size", q.Size > 0 && q.Size <= int64(2*len(q.Record)+2*len(q.Input)), true)
			stage.Same(th, "without its input", th.View().Queue[i].Input == nil, true)
		}
		stage.Same(th, "waiting", stage.Words(len(v.Queue), v.QueueLength), "3 3")
		stage.Same(th, "status", v.Run.Status, store.RunQueued)
		stage.Same(th, "started", v.Run.RunStarted, 0)
		stage.Same(th, "log", stage.Text(v.Log), "start:r1")
	}},
}

// refused wants a Begin to fail for what it says, not for the store's sake.
func refused(th *stage.Thread, b store.Begin) {
	th.Helper()
	if res, err := th.Store.Begin(th.Context(), b); err == nil {
		th.Errorf("begin %s: status %d", b.RunID, res.Status)
	}
}
