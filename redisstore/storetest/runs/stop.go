package runs

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var StopTests = []stage.Test{
	{"what is stopped while it waits lets go of its input at once, and stands in the queue until it is logged", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			th.Begun(th.Wait(run))
		}
		th.Stop("label-r2")
		v := th.View()
		stage.Same(th, "waiting", stage.Words(len(v.Queue), v.QueueLength), "2 3")
		stage.Same(th, "its input", string(th.Dispatch("r2").Input), "")
		stage.Same(th, "the next one's", string(th.Dispatch("r3").Input), `{"input":"r3"}`)
		th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
		stage.Same(th, "logged", th.View().QueueLength, 2)
		th.StopAll("i", "")
		stage.Same(th, "superseded", stage.Words(th.View().QueueLength, string(th.Dispatch("r4").Input)), "0")
	}},
	{"an active run ends in order with what its worker left open, and is fenced", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Batch(c, 2, 1, "open")
		b.Closing = json.RawMessage(` [ {"close":"\u00e9", "n":1.0} , {"close":2} ] `)
		b.Entries = stage.Raws("1")
		th.OK(b)
		th.OK(stage.Batch(c, 3, 2, "more"))
		res := th.Stop("label-r1")
		stage.Same(th, "answer", res, store.StopResult{Stopped: true, RunID: "r1", Behind: 6})
		stage.Same(th, "log", th.Logged(), `start:r1 open more {"close":"\u00e9", "n":1.0} {"close":2} stopped:label-r1`)
		v := th.View(store.ReadQuery{RunID: "r1"})
		stage.Same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedstopped:label-r1")
		stage.Same(th, "boundary", v.Boundary, 6)
		if v.Active != nil {
			e.Error("still active")
		}
		th.Unchanged(func() {
			stage.Same(th, "commit", th.Commit(stage.Batch(c, 4, 3, "x")).Status, store.CommitFenced)
			stage.Same(th, "the batch before sent again", th.Commit(stage.Batch(c, 3, 2, "more")).Status, store.CommitFenced)
			stage.Same(th, "end", th.Commit(stage.Ending(c, 4, 3, "x", store.EndFinish)).Status, store.CommitFenced)
			stage.Same(th, "renew", th.Renew(c), false)
			th.Claimed("t2", store.ClaimNothing)
		})
	}},
	{"what the worker left open may be emptied again", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Batch(c, 2, 1, "open")
		b.Closing = json.RawMessage(`["close"]`)
		th.OK(b)
		b = stage.Batch(c, 3, 2, "closed")
		b.Closing = json.RawMessage(`[]`)
		th.OK(b)
		th.Stop("label-r1")
		stage.Same(th, "log", th.Logged(), "start:r1 open closed stopped:label-r1")
	}},
	{"the worker's node is told, wherever it is", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		heardA, heardB := stage.Listen(th.Store), stage.Listen(other.Store)
		th.Begun(th.Execute("r1"))
		other.Stop("label-r1")
		stage.Eventually(th, "the worker's node hears", func() bool {
			return heardA.Count(store.DeliverFenced, th.Key, "token-r1") == 1
		})
		other.Begun(other.Execute("r2"))
		other.Stop("label-r2")
		stage.Same(th, "its own node hears", heardB.Count(store.DeliverFenced, th.Key, "token-r2"), 1)
	}},
	{"a stop sent again answers as it did, and stops nothing else", func(e *stage.Env) {
		th := e.Thread()
		twice := func(what string, th *stage.Thread, label string) {
			th.Helper()
			request := store.Stop{Thread: th.Key, Request: "request-" + what, Label: label, Terminal: []byte("stopped")}
			first, err := th.Store.Stop(e.Context(), request)
			if stage.Must(th, first, err); !first.Stopped {
				e.Errorf("%s: not stopped", what)
			}
			th.Unchanged(func() {
				again, err := th.Store.Stop(e.Context(), request)
				stage.Same(th, what, stage.Must(th, again, err), first)
			})
		}
		th.Begun(th.Execute("r1"))
		twice("active", th, "label-r1")
		th.Begun(th.Execute("r2"))
		for _, run := range []string{"r3", "r4"} {
			b := th.Wait(run)
			b.Label = "both"
			th.Begun(b)
		}
		twice("queued", th, "both")
		stage.Same(th, "the other one waits", th.View().Queue[0].ID, "r3")
		twice("the other one, by a request of its own", th, "both")
		idle := e.On(th.Store, "idle")
		idle.Begun(idle.Wait("r1"))
		twice("at rest", idle, "label-r1")
	}},
	{"a run is left to a node that watches, and not to one that follows for its own input", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		left := func(s store.Stop) store.StopResult {
			th.Helper()
			s.Thread, s.Request, s.RunID, s.Unwatched, s.Terminal = th.Key, rand.Text(), "r1", true, []byte("stopped")
			res, err := th.Store.Stop(e.Context(), s)
			return stage.Must(th, res, err)
		}
		b := th.Execute("r1")
		b.Sender = true
		c := th.Begun(b)
		b = other.Wait("r2")
		b.Sender = true
		other.Begun(b)
		_, err := other.Store.Tail(e.Context(), []store.ThreadKey{th.Key})
		stage.Must(th, 0, err)
		other.View(store.ReadQuery{Follower: true})
		b = other.Wait("r3")
		b.Sender = true
		other.Begun(b)
		_, err = other.Store.Tail(e.Context(), []store.ThreadKey{th.Key})
		stage.Must(th, 0, err)
		th.Unchanged(func() { stage.Same(th, "watched", left(store.Stop{}), store.StopResult{}) })
		th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))

		own := e.On(th.Store, "own")
		elsewhere := own.From(other.Store)
		own.Begun(own.Execute("r1"))
		b = elsewhere.Wait("r2")
		b.Sender = true
		elsewhere.Begun(b)
		_, err = elsewhere.Store.Tail(e.Context(), []store.ThreadKey{own.Key})
		stage.Must(th, 0, err)
		th = own
		stage.Same(th, "a sender follows", left(store.Stop{}), store.StopResult{Stopped: true, RunID: "r1", Ready: true, Behind: 2})
	}},
	{"a run may be stopped only if it is active, or only if something has come behind it", func(e *stage.Env) {
		th := e.Thread()
		only := func(s store.Stop) bool {
			th.Helper()
			s.Thread, s.Request, s.Terminal = th.Key, rand.Text(), []byte("stopped")
			res, err := th.Store.Stop(e.Context(), s)
			return stage.Must(th, res, err).Stopped
		}
		th.Begun(th.Execute("r1"))
		th.Unchanged(func() { stage.Same(th, "nothing waits", only(store.Stop{RunID: "r1", Behind: time.Hour}), false) })
		later := th.Wait("r2")
		k := later.Kind.(store.Enqueue)
		k.Available = th.View().Now.Add(time.Hour)
		later.Kind = k
		th.Begun(later)
		th.Unchanged(func() { stage.Same(th, "it cannot begin", only(store.Stop{RunID: "r1", Behind: time.Hour}), false) })
		th.Begun(th.Wait("r3"))
		th.Unchanged(func() { stage.Same(th, "it waits", only(store.Stop{RunID: "r3", ActiveOnly: true}), false) })
		came := th.View().Now
		stage.Eventually(th, "it has waited", func() bool { return th.View().Now.Sub(came) > 2*time.Millisecond })
		th.Unchanged(func() { stage.Same(th, "for longer", only(store.Stop{RunID: "r1", Behind: time.Millisecond}), false) })
		stage.Same(th, "something waits", only(store.Stop{RunID: "r1", Behind: time.Hour, ActiveOnly: true}), true)
	}},
	{"an unknown or ended run is not stopped", func(e *stage.Env) {
		th := e.Thread()
		th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
		th.Unchanged(func() {
			stage.Same(th, "unknown", th.Stop("none"), store.StopResult{})
			stage.Same(th, "ended", th.Stop("label-r1"), store.StopResult{})
		})
	}},
	{"a queued run leaves the queue at once and is logged when it is released", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			th.Begun(th.Wait(run))
		}
		version := th.View().Version
		stage.Same(th, "r2", stage.Show(th.Stop("label-r2")), stage.Show(store.StopResult{Stopped: true, Queued: true, RunID: "r2", Events: stage.Events("start:r2 cancelled:r2")}))
		th.Stop("label-r4")
		v := th.View(store.ReadQuery{RunID: "r2"})
		stage.Same(th, "version", v.Version, version+2)
		stage.Same(th, "status", v.Run.Status, store.RunCancelled)
		if len(v.Queue) != 1 || v.Queue[0].ID != "r3" {
			e.Errorf("queue: %s", stage.Show(v.Queue))
		}
		stage.Same(th, "log", stage.Text(v.Log), "start:r1")
		res := th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
		stage.Same(th, "end, ready", []any{res.End.Seq, res.Ready}, []any{int64(2), true})
		stage.Same(th, "log", th.Logged(), "start:r1 end start:r2 cancelled:r2")
		v = th.View(store.ReadQuery{RunID: "r2"})
		stage.Same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedcancelled:r2")
		stage.Same(th, "started, boundary", []int64{v.Run.RunStarted, v.Boundary}, []int64{3, 4})
		stage.Same(th, "latest", v.Latest.ID, "r2")
		next := th.Claimed("t3", store.ClaimQueued).Claim
		stage.Same(th, "next", next.RunID, "r3")
		th.Activate(next)
		if th.OK(stage.Ending(next, 2, 5, "end", store.EndFinish)).Ready {
			e.Error("ready with an empty queue")
		}
		stage.Same(th, "log", th.Logged(), "start:r1 end start:r2 cancelled:r2 start:r3 end start:r4 cancelled:r4")
	}},
	{"a run stopped in the queue of a suspended thread is logged after the resume", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		th.Begun(th.Wait("r2"))
		res := th.Stop("label-r2")
		stage.Same(th, "owed", stage.Text(res.Events), "start:r2 cancelled:r2")
		stage.Same(th, "log", th.Logged(), "start:r1 asks")
		c := th.Begun(th.Resume("r3", "exe-r1"))
		th.OK(stage.Ending(c, 2, 3, "end", store.EndFinish))
		stage.Same(th, "log", th.Logged(), "start:r1 asks start:r3 end start:r2 cancelled:r2")
	}},
	{"a queued run of a thread at rest is logged at once, in its turn", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		th.Begun(th.Wait("r2"))
		res := th.Stop("label-r2")
		stage.Same(th, "behind another", []bool{res.Stopped, res.Queued, res.Ready}, []bool{true, true, true})
		res = th.Stop("label-r1")
		stage.Same(th, "at the head", stage.Show(res), stage.Show(store.StopResult{Stopped: true, RunID: "r1", Behind: 4}))
		stage.Same(th, "log", th.Logged(), "start:r1 cancelled:r1 start:r2 cancelled:r2")
		if th.Due() {
			e.Error("due")
		}
	}},
	{"a run claimed but not activated is logged as cancelled", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		c := th.Claimed("t1", store.ClaimQueued).Claim
		stage.Same(th, "answer", th.Stop("label-r1"), store.StopResult{Stopped: true, RunID: "r1", Behind: 2})
		stage.Same(th, "log", th.Logged(), "start:r1 cancelled:r1")
		th.Unchanged(func() { stage.Same(th, "activate", th.Activate(c).Status, store.CommitFenced) })
	}},
	{"the latest run of a label that has not ended is stopped", func(e *stage.Env) {
		th := e.Thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			b := th.Wait(run)
			if run == "r1" {
				b = th.Execute(run)
			}
			b.Label = "same"
			th.Begun(b)
		}
		for _, run := range []string{"r3", "r2", "r1"} {
			stage.Same(th, "stopped", th.Stop("same").RunID, run)
		}
	}},
}
