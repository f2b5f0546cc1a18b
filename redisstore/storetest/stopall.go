package storetest

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

var stopAllTests = []test{
	{"an interrupt supersedes every queued dispatch and names exactly those, with what their senders are owed", func(e *env) {
		th := e.thread()
		th.suspended()
		for _, run := range []string{"r2", "r3", "r4"} {
			th.begun(th.wait(run))
		}
		th.stop("label-r3")
		res := th.stopAll("i1", "")
		same(th, "answer", words(res.Stale, res.Epoch, res.Superseded, res.Active), "false 1 [r2 r4]")
		same(th, "owed", len(res.Owed), 2)
		for i, run := range res.Superseded {
			if i < len(res.Owed) {
				same(th, "owed to "+run, text(res.Owed[i]), "start:"+run+" cancelled:"+run)
			}
			d := th.dispatch(run)
			same(th, run, words(d.State, d.Error), "superseded because of i1")
		}
		same(th, "the stopped one", th.dispatch("r3").State, store.DispatchCancelled)
		same(th, "queue", len(th.view().Queue), 0)
		if th.view().Suspension == nil {
			e.Error("the suspension is gone")
		}
		th.ok(ending(th.begun(th.resume("r5", "exe-r1")), 2, 3, "end", store.EndFinish))
		same(th, "logged once released", th.log(), "start:r1 asks start:r5 end start:r2 cancelled:r2 start:r3 cancelled:r3 start:r4 cancelled:r4")
	}},
	{"an interrupt ends the active run, for every node", func(e *env) {
		th := e.thread()
		other := th.from(e.node("b"))
		heard := listen(th.s)
		claim := th.begun(th.execute("r1"))
		b := batch(claim, 2, 1, "open")
		b.Closing = raws(`["close"]`)[0]
		th.ok(b)
		th.begun(th.wait("r2"))
		res := other.stopAll("i1", "r1")
		same(th, "answer", words(res.Stale, res.Epoch, res.Superseded, res.Active), "false 1 [r2] r1")
		same(th, "dispatches", words(th.dispatch("r1").State, th.dispatch("r2").State), "superseded superseded")
		same(th, "log", th.log(), `start:r1 open "close" interrupted:r1 start:r2 cancelled:r2`)
		if v := th.view(); v.Active != nil || len(v.Queue) != 0 || v.DispatchEpoch != 1 {
			e.Errorf("active %s, queue %s, epoch %d", show(v.Active), show(v.Queue), v.DispatchEpoch)
		}
		eventually(th, "its node is told", func() bool { return heard.count(store.DeliverFenced, th.key, claim.Token) == 1 })
		if th.due() {
			e.Error("due")
		}
	}},
	{"the dispatch epoch begins at 0 and rises by one an interrupt, on an idle thread too", func(e *env) {
		th := e.thread()
		same(th, "at first", th.view().DispatchEpoch, 0)
		for i := range int64(3) {
			res := th.stopAll(fmt.Sprint("i", i), "")
			same(th, "answer", words(res.Stale, res.Epoch, len(res.Superseded), res.Active), words("false", i+1, "0"))
			same(th, "view", th.view().DispatchEpoch, i+1)
		}
		th.carriedAfterwards()
	}},
	{"a claimed dispatch that is stopped is superseded, with the reason", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		res, err := th.s.Stop(e.Context(), store.Stop{Thread: th.key, Request: "q", RunID: "r1", Reason: "replaced", Terminal: []byte("stopped")})
		same(th, "stopped", must(th, res, err).Stopped, true)
		d := th.dispatch("r1")
		same(th, "dispatch", words(d.State, d.Error, d.ClaimedBy, d.LeaseUntil.IsZero(), string(d.Outcome)), "superseded replaced a true stopped")
	}},
	{"after an interrupt the owner of before can neither renew, nor start, nor write", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		claim := th.claimed("t1", store.ClaimQueued).Claim
		th.stopAll("i1", "r1")
		th.unchanged(func() {
			same(th, "renew", th.renew(claim), false)
			same(th, "start", th.activate(claim).Status, store.CommitFenced)
			same(th, "write", th.commit(batch(claim, 1, 0, "late")).Status, store.CommitFenced)
			same(th, "end", th.commit(ending(claim, 1, 0, "late", store.EndFinish)).Status, store.CommitFenced)
			same(th, "nack", th.nack(failing(claim)).State, store.NackLost)
			if err := th.s.HandBack(e.Context(), claim); err != nil {
				e.Error(err)
			}
		})
		d := th.dispatch("r1")
		same(th, "dispatch", words(d.State, string(d.Outcome)), "superseded cancelled:r1")
		same(th, "log", th.log(), "start:r1 cancelled:r1")
		active := e.on(th.s, "active")
		claim = active.begun(active.execute("r1"))
		active.stopAll("i1", "r1")
		active.unchanged(func() {
			same(active, "renew", active.renew(claim), false)
			same(active, "write", active.commit(batch(claim, 2, 1, "late")).Status, store.CommitFenced)
			same(active, "end", active.commit(ending(claim, 2, 1, "late", store.EndFinish)).Status, store.CommitFenced)
		})
	}},
	{"a dispatch that stop all ended is not claimed again when its lease is over", func(e *env) {
		c := e.stopped()
		th := e.thread()
		th.activate(func() store.Claim { th.begun(th.wait("r1")); return th.claimed("t1", store.ClaimQueued).Claim }())
		th.stopAll("i1", "r1")
		c.move(e.lease + time.Millisecond)
		if th.due() {
			e.Error("due")
		}
		th.claimed("t2", store.ClaimNothing)
		same(th, "dispatch", th.dispatch("r1").State, store.DispatchSuperseded)
		th.carriedAfterwards()
	}},
	{"an interrupt that was judged on another run changes nothing", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		th.unchanged(func() {
			for i, seen := range []string{"", "r0", "r2"} {
				same(th, "stale", th.stopAll(words("i", i), seen).Stale, true)
			}
		})
		same(th, "dispatches", th.listed(), "r1:claimed r2:queued")
	}},
	{"an interrupt sent again interrupts nothing else", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		first := th.stopAll("i1", "r1")
		th.begun(th.wait("r3"))
		th.unchanged(func() { same(th, "answer", show(th.stopAll("i1", "r1")), show(first)) })
		th.carried("r3")
	}},
	{"what an interrupt superseded in the queue is logged as cancelled, once", func(e *env) {
		th := e.thread()
		th.begun(th.wait("r1"))
		th.begun(th.wait("r2"))
		res := th.stopAll("i1", "")
		same(th, "superseded", res.Superseded, []string{"r1", "r2"})
		same(th, "log", th.log(), "start:r1 cancelled:r1 start:r2 cancelled:r2")
		for _, run := range res.Superseded {
			v := th.view(store.ReadQuery{RunID: run})
			same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedcancelled:"+run)
			same(th, "outcome", string(th.dispatch(run).Outcome), "cancelled:"+run)
		}
		for i := range res.Owed {
			if res.Owed[i] != nil {
				e.Errorf("owed although it is logged: %s", text(res.Owed[i]))
			}
		}
		th.carriedAfterwards()
	}},
	{"a wish to pause is told to the worker with its commits, until the run ends", func(e *env) {
		th := e.thread()
		same(th, "at rest", th.pause(), false)
		th.begun(th.wait("r1"))
		claim := th.claimed("t1", store.ClaimQueued).Claim
		same(th, "start", th.activate(claim).Paused, false)
		same(th, "active", th.pause(), true)
		same(th, "seen", th.view().Paused, true)
		first := th.ok(batch(claim, 2, 1, "b"))
		same(th, "told", first.Paused, true)
		same(th, "told again", th.commit(batch(claim, 2, 1, "b")).Paused, true)
		same(th, "cleared", words(th.unpause("u1"), th.view().Paused, th.ok(batch(claim, 3, 2, "c")).Paused), "true false false")
		th.pause()
		th.ok(ending(claim, 4, 3, "end", store.EndFinish))
		same(th, "after the end", th.view().Paused, false)
		same(th, "the next run", th.ok(batch(th.begun(th.execute("r2")), 2, 5, "b")).Paused, false)
	}},
	{"only a wish to pause that is there is taken back, once", func(e *env) {
		th := e.thread()
		same(th, "at rest", th.unpause("u1"), false)
		th.begun(th.execute("r1"))
		same(th, "nothing is wished", th.unpause("u2"), false)
		th.pause()
		same(th, "wished", th.unpause("u3"), true)
		th.unchanged(func() {
			same(th, "sent again", th.unpause("u3"), true)
			same(th, "once more", th.unpause("u4"), false)
		})
		th.pause()
		same(th, "wished again", words(th.view().Paused, th.unpause("u5")), "true true")
	}},
	{"a wish to pause that a worker carries out is not taken back, unless that is lost", func(e *env) {
		c := e.stopped()
		th := e.thread()
		take := func(claim store.Claim) bool {
			wish, err := th.s.TakePause(e.Context(), claim)
			taken := wish != nil
			return must(th, taken, err)
		}
		claim := th.begun(th.execute("r1"))
		same(th, "nothing is wished", take(claim), false)
		th.pause()
		wrong := claim
		wrong.Token = "other"
		same(th, "by another", words(take(wrong), th.ok(batch(claim, 2, 1, "b")).Paused), "false true")
		same(th, "by its worker", words(take(claim), th.view().Paused), "true true")
		th.unchanged(func() {
			same(th, "sent again", take(claim), true)
			same(th, "taken back", th.unpause("u1"), false)
			same(th, "wished again", th.pause(), true)
		})
		c.move(e.lease + time.Millisecond)
		claim = th.claimed("t2", store.ClaimTakeover).Claim
		same(th, "after a takeover", words(th.ok(batch(claim, 1, 2, "c")).Paused, th.unpause("u2"), take(claim)), "true true false")
	}},
	{"what goes along with a wish is for who carries it out", func(e *env) {
		th := e.thread()
		wish := func(note string) {
			ok, err := th.s.Pause(e.Context(), th.key, store.Wish{Note: json.RawMessage(note)})
			same(th, "wished", must(th, ok, err), true)
		}
		take := func(claim store.Claim) string {
			w, err := th.s.TakePause(e.Context(), claim)
			if must(th, w, err) == nil {
				return "none"
			}
			return string(w.Note)
		}
		claim := th.begun(th.execute("r1"))
		wish(`"first"`)
		wish(`"why"`)
		same(th, "the latest", take(claim), `"why"`)
		same(th, "taken is taken", take(claim), `"why"`)
		th.ok(ending(claim, 2, 1, "end", store.EndFinish))
		claim = th.begun(th.execute("r2"))
		same(th, "gone with its run", take(claim), "none")
		th.pause()
		same(th, "another, with nothing", take(claim), "")
	}},
}

// carriedAfterwards shows that the thread goes on.
func (th *thread) carriedAfterwards() {
	th.Helper()
	th.begun(th.wait("afterwards"))
	th.carried("afterwards")
}
