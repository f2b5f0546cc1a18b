package storetest

import (
	"crypto/rand"
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var stopTests = []test{
	{"what is stopped while it waits lets go of its input at once, and stands in the queue until it is logged", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			th.begun(th.wait(run))
		}
		th.stop("label-r2")
		v := th.view()
		same(th, "waiting", words(len(v.Queue), v.QueueLength), "2 3")
		same(th, "its input", string(th.dispatch("r2").Input), "")
		same(th, "the next one's", string(th.dispatch("r3").Input), `{"input":"r3"}`)
		th.ok(ending(c, 2, 1, "end", store.EndFinish))
		same(th, "logged", th.view().QueueLength, 2)
		th.stopAll("i", "")
		same(th, "superseded", words(th.view().QueueLength, string(th.dispatch("r4").Input)), "0")
	}},
	{"an active run ends in order with what its worker left open, and is fenced", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := batch(c, 2, 1, "open")
		b.Closing = json.RawMessage(` [ {"close":"\u00e9", "n":1.0} , {"close":2} ] `)
		b.Entries = raws("1")
		th.ok(b)
		th.ok(batch(c, 3, 2, "more"))
		res := th.stop("label-r1")
		same(th, "answer", res, store.StopResult{Stopped: true, RunID: "r1", Behind: 6})
		same(th, "log", th.log(), `start:r1 open more {"close":"\u00e9", "n":1.0} {"close":2} stopped:label-r1`)
		v := th.view(store.ReadQuery{RunID: "r1"})
		same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedstopped:label-r1")
		same(th, "boundary", v.Boundary, 6)
		if v.Active != nil {
			e.Error("still active")
		}
		th.unchanged(func() {
			same(th, "commit", th.commit(batch(c, 4, 3, "x")).Status, store.CommitFenced)
			same(th, "the batch before sent again", th.commit(batch(c, 3, 2, "more")).Status, store.CommitFenced)
			same(th, "end", th.commit(ending(c, 4, 3, "x", store.EndFinish)).Status, store.CommitFenced)
			same(th, "renew", th.renew(c), false)
			th.claimed("t2", store.ClaimNothing)
		})
	}},
	{"what the worker left open may be emptied again", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := batch(c, 2, 1, "open")
		b.Closing = json.RawMessage(`["close"]`)
		th.ok(b)
		b = batch(c, 3, 2, "closed")
		b.Closing = json.RawMessage(`[]`)
		th.ok(b)
		th.stop("label-r1")
		same(th, "log", th.log(), "start:r1 open closed stopped:label-r1")
	}},
	{"the worker's node is told, wherever it is", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		heardA, heardB := listen(th.s), listen(other.s)
		th.begun(th.execute("r1"))
		other.stop("label-r1")
		eventually(th, "the worker's node hears", func() bool {
			return heardA.count(store.DeliverFenced, th.key, "token-r1") == 1
		})
		other.begun(other.execute("r2"))
		other.stop("label-r2")
		same(th, "its own node hears", heardB.count(store.DeliverFenced, th.key, "token-r2"), 1)
	}},
	{"a stop sent again answers as it did, and stops nothing else", func(e *env) {
		th := e.thread()
		twice := func(what string, th *thread, label string) {
			th.Helper()
			request := store.Stop{Thread: th.key, Request: "request-" + what, Label: label, Terminal: []byte("stopped")}
			first, err := th.s.Stop(e.Context(), request)
			if must(th, first, err); !first.Stopped {
				e.Errorf("%s: not stopped", what)
			}
			th.unchanged(func() {
				again, err := th.s.Stop(e.Context(), request)
				same(th, what, must(th, again, err), first)
			})
		}
		th.begun(th.execute("r1"))
		twice("active", th, "label-r1")
		th.begun(th.execute("r2"))
		for _, run := range []string{"r3", "r4"} {
			b := th.wait(run)
			b.Label = "both"
			th.begun(b)
		}
		twice("queued", th, "both")
		same(th, "the other one waits", th.view().Queue[0].ID, "r3")
		twice("the other one, by a request of its own", th, "both")
		idle := e.on(th.s, "idle")
		idle.begun(idle.wait("r1"))
		twice("at rest", idle, "label-r1")
	}},
	{"a run is left to a node that watches, and not to one that follows for its own input", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		left := func(s store.Stop) store.StopResult {
			th.Helper()
			s.Thread, s.Request, s.RunID, s.Unwatched, s.Terminal = th.key, rand.Text(), "r1", true, []byte("stopped")
			res, err := th.s.Stop(e.Context(), s)
			return must(th, res, err)
		}
		b := th.execute("r1")
		b.Sender = true
		c := th.begun(b)
		b = other.wait("r2")
		b.Sender = true
		other.begun(b)
		_, err := other.s.Tail(e.Context(), []store.ThreadKey{th.key})
		must(th, 0, err)
		other.view(store.ReadQuery{Follower: true})
		b = other.wait("r3")
		b.Sender = true
		other.begun(b)
		_, err = other.s.Tail(e.Context(), []store.ThreadKey{th.key})
		must(th, 0, err)
		th.unchanged(func() { same(th, "watched", left(store.Stop{}), store.StopResult{}) })
		th.ok(ending(c, 2, 1, "end", store.EndFinish))

		own := e.on(th.s, "own")
		elsewhere := own.from(other.s)
		own.begun(own.execute("r1"))
		b = elsewhere.wait("r2")
		b.Sender = true
		elsewhere.begun(b)
		_, err = elsewhere.s.Tail(e.Context(), []store.ThreadKey{own.key})
		must(th, 0, err)
		th = own
		same(th, "a sender follows", left(store.Stop{}), store.StopResult{Stopped: true, RunID: "r1", Ready: true, Behind: 2})
	}},
	{"a run may be stopped only if it is active, or only if something has come behind it", func(e *env) {
		th := e.thread()
		only := func(s store.Stop) bool {
			th.Helper()
			s.Thread, s.Request, s.Terminal = th.key, rand.Text(), []byte("stopped")
			res, err := th.s.Stop(e.Context(), s)
			return must(th, res, err).Stopped
		}
		th.begun(th.execute("r1"))
		th.unchanged(func() { same(th, "nothing waits", only(store.Stop{RunID: "r1", Behind: time.Hour}), false) })
		later := th.wait("r2")
		k := later.Kind.(store.Enqueue)
		k.Available = th.view().Now.Add(time.Hour)
		later.Kind = k
		th.begun(later)
		th.unchanged(func() { same(th, "it cannot begin", only(store.Stop{RunID: "r1", Behind: time.Hour}), false) })
		th.begun(th.wait("r3"))
		th.unchanged(func() { same(th, "it waits", only(store.Stop{RunID: "r3", ActiveOnly: true}), false) })
		came := th.view().Now
		eventually(th, "it has waited", func() bool { return th.view().Now.Sub(came) > 2*time.Millisecond })
		th.unchanged(func() { same(th, "for longer", only(store.Stop{RunID: "r1", Behind: time.Millisecond}), false) })
		same(th, "something waits", only(store.Stop{RunID: "r1", Behind: time.Hour, ActiveOnly: true}), true)
	}},
	{"an unknown or ended run is not stopped", func(e *env) {
		th := e.thread()
		th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
		th.unchanged(func() {
			same(th, "unknown", th.stop("none"), store.StopResult{})
			same(th, "ended", th.stop("label-r1"), store.StopResult{})
		})
	}},
	{"a suspended run has ended: stopping it changes nothing", func(e *env) {
		th := e.thread()
		th.suspended()
		th.unchanged(func() { same(th, "answer", th.stop("label-r1"), store.StopResult{}) })
	}},
	{"a queued run leaves the queue at once and is logged when it is released", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		for _, run := range []string{"r2", "r3", "r4"} {
			th.begun(th.wait(run))
		}
		version := th.view().Version
		same(th, "r2", show(th.stop("label-r2")), show(store.StopResult{Stopped: true, Queued: true, RunID: "r2", Events: events("start:r2 cancelled:r2")}))
		th.stop("label-r4")
		v := th.view(store.ReadQuery{RunID: "r2"})
		same(th, "version", v.Version, version+2)
		same(th, "status", v.Run.Status, store.RunCancelled)
		if len(v.Queue) != 1 || v.Queue[0].ID != "r3" {
			e.Errorf("queue: %s", show(v.Queue))
		}
		same(th, "log", text(v.Log), "start:r1")
		res := th.ok(ending(c, 2, 1, "end", store.EndFinish))
		same(th, "end, ready", []any{res.End.Seq, res.Ready}, []any{int64(2), true})
		same(th, "log", th.log(), "start:r1 end start:r2 cancelled:r2")
		v = th.view(store.ReadQuery{RunID: "r2"})
		same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedcancelled:r2")
		same(th, "started, boundary", []int64{v.Run.RunStarted, v.Boundary}, []int64{3, 4})
		same(th, "latest", v.Latest.ID, "r2")
		next := th.claimed("t3", store.ClaimQueued).Claim
		same(th, "next", next.RunID, "r3")
		th.activate(next)
		if th.ok(ending(next, 2, 5, "end", store.EndFinish)).Ready {
			e.Error("ready with an empty queue")
		}
		same(th, "log", th.log(), "start:r1 end start:r2 cancelled:r2 start:r3 end start:r4 cancelled:r4")
	}},
	{"a run stopped in the queue of a suspended thread is logged after the resume", func(e *env) {
		th := e.thread()
		th.suspended()
		th.begun(th.wait("r2"))
		res := th.stop("label-r2")
		same(th, "owed", text(res.Events), "start:r2 cancelled:r2")
		same(th, "log", th.log(), "start:r1 asks")
		c := th.begun(th.resume("r3", "exe-r1"))
		th.ok(ending(c, 2, 3, "end", store.EndFinish))
		same(th, "log", th.log(), "start:r1 asks start:r3 end start:r2 cancelled:r2")
	}},
	{"a queued run of a thread at rest is logged at once, in its turn", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		th.begun(th.wait("r2"))
		res := th.stop("label-r2")
		same(th, "behind another", []bool{res.Stopped, res.Queued, res.Ready}, []bool{true, true, true})
		res = th.stop("label-r1")
		same(th, "at the head", show(res), show(store.StopResult{Stopped: true, RunID: "r1", Behind: 4}))
		same(th, "log", th.log(), "start:r1 cancelled:r1 start:r2 cancelled:r2")
		if th.due() {
			e.Error("due")
		}
	}},
	{"a run claimed but not activated is logged as cancelled", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		c := th.claimed("t1", store.ClaimQueued).Claim
		same(th, "answer", th.stop("label-r1"), store.StopResult{Stopped: true, RunID: "r1", Behind: 2})
		same(th, "log", th.log(), "start:r1 cancelled:r1")
		th.unchanged(func() { same(th, "activate", th.activate(c).Status, store.CommitFenced) })
	}},
	{"the latest run of a label that has not ended is stopped", func(e *env) {
		th := e.thread()
		for _, run := range []string{"r1", "r2", "r3"} {
			b := th.wait(run)
			if run == "r1" {
				b = th.execute(run)
			}
			b.Label = "same"
			th.begun(b)
		}
		for _, run := range []string{"r3", "r2", "r1"} {
			same(th, "stopped", th.stop("same").RunID, run)
		}
	}},
	{"a stop releases the queue", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		if !th.stop("label-r1").Ready || !th.due() {
			e.Error("not released")
		}
		same(th, "next", th.claimed("t2", store.ClaimQueued).Claim.RunID, "r2")
	}},
}
