package runs

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var StopAllTests = []stage.Test{
	{"an interrupt supersedes every queued dispatch and names exactly those, with what their senders are owed", func(e *stage.Env) {
		th := e.Thread()
		th.Suspended()
		for _, run := range []string{"r2", "r3", "r4"} {
			th.Begun(th.Wait(run))
		}
		th.Stop("label-r3")
		res := th.StopAll("i1", "")
		stage.Same(th, "answer", stage.Words(res.Stale, res.Epoch, res.Superseded, res.Active), "false 1 [r2 r4]")
		stage.Same(th, "owed", len(res.Owed), 2)
		for i, run := range res.Superseded {
			if i < len(res.Owed) {
				stage.Same(th, "owed to "+run, stage.Text(res.Owed[i]), "start:"+run+" cancelled:"+run)
			}
			d := th.Dispatch(run)
			stage.Same(th, run, stage.Words(d.State, d.Error), "superseded because of i1")
		}
		stage.Same(th, "the stopped one", th.Dispatch("r3").State, store.DispatchCancelled)
		stage.Same(th, "queue", len(th.View().Queue), 0)
		if th.View().Suspension == nil {
			e.Error("the suspension is gone")
		}
		th.OK(stage.Ending(th.Begun(th.Resume("r5", "exe-r1")), 2, 3, "end", store.EndFinish))
		stage.Same(th, "logged once released", th.Logged(), "start:r1 asks start:r5 end start:r2 cancelled:r2 start:r3 cancelled:r3 start:r4 cancelled:r4")
	}},
	{"an interrupt ends the active run, for every node", func(e *stage.Env) {
		th := e.Thread()
		other := th.From(e.Node("b"))
		heard := stage.Listen(th.Store)
		claim := th.Begun(th.Execute("r1"))
		b := stage.Batch(claim, 2, 1, "open")
		b.Closing = stage.Raws(`["close"]`)[0]
		th.OK(b)
		th.Begun(th.Wait("r2"))
		res := other.StopAll("i1", "r1")
		stage.Same(th, "answer", stage.Words(res.Stale, res.Epoch, res.Superseded, res.Active), "false 1 [r2] r1")
		stage.Same(th, "dispatches", stage.Words(th.Dispatch("r1").State, th.Dispatch("r2").State), "superseded superseded")
		stage.Same(th, "log", th.Logged(), `start:r1 open "close" interrupted:r1 start:r2 cancelled:r2`)
		if v := th.View(); v.Active != nil || len(v.Queue) != 0 || v.DispatchEpoch != 1 {
			e.Errorf("active %s, queue %s, epoch %d", stage.Show(v.Active), stage.Show(v.Queue), v.DispatchEpoch)
		}
		stage.Eventually(th, "its node is told", func() bool { return heard.Count(store.DeliverFenced, th.Key, claim.Token) == 1 })
		if th.Due() {
			e.Error("due")
		}
	}},
	{"the dispatch epoch begins at 0 and rises by one an interrupt, on an idle thread too", func(e *stage.Env) {
		th := e.Thread()
		stage.Same(th, "at first", th.View().DispatchEpoch, 0)
		for i := range int64(3) {
			res := th.StopAll(fmt.Sprint("i", i), "")
			stage.Same(th, "answer", stage.Words(res.Stale, res.Epoch, len(res.Superseded), res.Active), stage.Words("false", i+1, "0"))
			stage.Same(th, "view", th.View().DispatchEpoch, i+1)
		}
		stage.CarriedAfterwards(th)
	}},
	{"a claimed dispatch that is stopped is superseded, with the reason", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		res, err := th.Store.Stop(e.Context(), store.Stop{Thread: th.Key, Request: "q", RunID: "r1", Reason: "replaced", Terminal: []byte("stopped")})
		stage.Same(th, "stopped", stage.Must(th, res, err).Stopped, true)
		d := th.Dispatch("r1")
		stage.Same(th, "dispatch", stage.Words(d.State, d.Error, d.ClaimedBy, d.LeaseUntil.IsZero(), string(d.Outcome)), "superseded replaced a true stopped")
	}},
	{"after an interrupt the owner of before can neither renew, nor start, nor write", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		claim := th.Claimed("t1", store.ClaimQueued).Claim
		th.StopAll("i1", "r1")
		th.Unchanged(func() {
			stage.Same(th, "renew", th.Renew(claim), false)
			stage.Same(th, "start", th.Activate(claim).Status, store.CommitFenced)
			stage.Same(th, "write", th.Commit(stage.Batch(claim, 1, 0, "late")).Status, store.CommitFenced)
			stage.Same(th, "end", th.Commit(stage.Ending(claim, 1, 0, "late", store.EndFinish)).Status, store.CommitFenced)
			stage.Same(th, "nack", th.Nack(stage.Failing(claim)).State, store.NackLost)
			if err := th.Store.HandBack(e.Context(), claim); err != nil {
				e.Error(err)
			}
		})
		d := th.Dispatch("r1")
		stage.Same(th, "dispatch", stage.Words(d.State, string(d.Outcome)), "superseded cancelled:r1")
		stage.Same(th, "log", th.Logged(), "start:r1 cancelled:r1")
		active := e.On(th.Store, "active")
		claim = active.Begun(active.Execute("r1"))
		active.StopAll("i1", "r1")
		active.Unchanged(func() {
			stage.Same(active, "renew", active.Renew(claim), false)
			stage.Same(active, "write", active.Commit(stage.Batch(claim, 2, 1, "late")).Status, store.CommitFenced)
			stage.Same(active, "end", active.Commit(stage.Ending(claim, 2, 1, "late", store.EndFinish)).Status, store.CommitFenced)
		})
	}},
	{"an interrupt that was judged on another run changes nothing", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		th.Unchanged(func() {
			for i, seen := range []string{"", "r0", "r2"} {
				stage.Same(th, "stale", th.StopAll(stage.Words("i", i), seen).Stale, true)
			}
		})
		stage.Same(th, "dispatches", th.Listed(), "r1:claimed r2:queued")
	}},
	{"an interrupt sent again interrupts nothing else", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		first := th.StopAll("i1", "r1")
		th.Begun(th.Wait("r3"))
		th.Unchanged(func() { stage.Same(th, "answer", stage.Show(th.StopAll("i1", "r1")), stage.Show(first)) })
		th.Carried("r3")
	}},
	{"what an interrupt superseded in the queue is logged as cancelled, once", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Wait("r1"))
		th.Begun(th.Wait("r2"))
		res := th.StopAll("i1", "")
		stage.Same(th, "superseded", res.Superseded, []string{"r1", "r2"})
		stage.Same(th, "log", th.Logged(), "start:r1 cancelled:r1 start:r2 cancelled:r2")
		for _, run := range res.Superseded {
			v := th.View(store.ReadQuery{RunID: run})
			stage.Same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedcancelled:"+run)
			stage.Same(th, "outcome", string(th.Dispatch(run).Outcome), "cancelled:"+run)
		}
		for i := range res.Owed {
			if res.Owed[i] != nil {
				e.Errorf("owed although it is logged: %s", stage.Text(res.Owed[i]))
			}
		}
		stage.CarriedAfterwards(th)
	}},
	{"a wish to pause is told to the worker with its commits, until the run ends", func(e *stage.Env) {
		th := e.Thread()
		stage.Same(th, "at rest", th.Pause(), false)
		th.Begun(th.Wait("r1"))
		claim := th.Claimed("t1", store.ClaimQueued).Claim
		stage.Same(th, "start", th.Activate(claim).Paused, false)
		stage.Same(th, "active", th.Pause(), true)
		stage.Same(th, "seen", th.View().Paused, true)
		first := th.OK(stage.Batch(claim, 2, 1, "b"))
		stage.Same(th, "told", first.Paused, true)
		stage.Same(th, "told again", th.Commit(stage.Batch(claim, 2, 1, "b")).Paused, true)
		stage.Same(th, "cleared", stage.Words(th.Unpause("u1"), th.View().Paused, th.OK(stage.Batch(claim, 3, 2, "c")).Paused), "true false false")
		th.Pause()
		th.OK(stage.Ending(claim, 4, 3, "end", store.EndFinish))
		stage.Same(th, "after the end", th.View().Paused, false)
		stage.Same(th, "the next run", th.OK(stage.Batch(th.Begun(th.Execute("r2")), 2, 5, "b")).Paused, false)
	}},
	{"only a wish to pause that is there is taken back, once", func(e *stage.Env) {
		th := e.Thread()
		stage.Same(th, "at rest", th.Unpause("u1"), false)
		th.Begun(th.Execute("r1"))
		stage.Same(th, "nothing is wished", th.Unpause("u2"), false)
		th.Pause()
		stage.Same(th, "wished", th.Unpause("u3"), true)
		th.Unchanged(func() {
			stage.Same(th, "sent again", th.Unpause("u3"), true)
			stage.Same(th, "once more", th.Unpause("u4"), false)
		})
		th.Pause()
		stage.Same(th, "wished again", stage.Words(th.View().Paused, th.Unpause("u5")), "true true")
	}},
	{"a wish to pause that a worker carries out is not taken back, unless that is lost", func(e *stage.Env) {
		c := e.Stopped()
		th := e.Thread()
		take := func(claim store.Claim) bool {
			wish, err := th.Store.TakePause(e.Context(), claim)
			taken := wish != nil
			return stage.Must(th, taken, err)
		}
		claim := th.Begun(th.Execute("r1"))
		stage.Same(th, "nothing is wished", take(claim), false)
		th.Pause()
		wrong := claim
		wrong.Token = "other"
		stage.Same(th, "by another", stage.Words(take(wrong), th.OK(stage.Batch(claim, 2, 1, "b")).Paused), "false true")
		stage.Same(th, "by its worker", stage.Words(take(claim), th.View().Paused), "true true")
		th.Unchanged(func() {
			stage.Same(th, "sent again", take(claim), true)
			stage.Same(th, "taken back", th.Unpause("u1"), false)
			stage.Same(th, "wished again", th.Pause(), true)
		})
		c.Move(e.Lease + time.Millisecond)
		claim = th.Claimed("t2", store.ClaimTakeover).Claim
		stage.Same(th, "after a takeover", stage.Words(th.OK(stage.Batch(claim, 1, 2, "c")).Paused, th.Unpause("u2"), take(claim)), "true true false")
	}},
	{"what goes along with a wish is for who carries it out", func(e *stage.Env) {
		th := e.Thread()
		wish := func(note string) {
			ok, err := th.Store.Pause(e.Context(), th.Key, store.Wish{Note: json.RawMessage(note)})
			stage.Same(th, "wished", stage.Must(th, ok, err), true)
		}
		take := func(claim store.Claim) string {
			w, err := th.Store.TakePause(e.Context(), claim)
			if stage.Must(th, w, err) == nil {
				return "none"
			}
			return string(w.Note)
		}
		claim := th.Begun(th.Execute("r1"))
		wish(`"first"`)
		wish(`"why"`)
		stage.Same(th, "the latest", take(claim), `"why"`)
		stage.Same(th, "taken is taken", take(claim), `"why"`)
		th.OK(stage.Ending(claim, 2, 1, "end", store.EndFinish))
		claim = th.Begun(th.Execute("r2"))
		stage.Same(th, "gone with its run", take(claim), "none")
		th.Pause()
		stage.Same(th, "another, with nothing", take(claim), "")
	}},
}
