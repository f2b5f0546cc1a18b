package threads

import (
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// lastRuns are the ways in which a thread comes to rest, and the event that says so.
var lastRuns = map[string]struct {
	run   func(th *stage.Thread)
	event string
}{
	"finished": {func(th *stage.Thread) { th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish)) }, "end"},
	"failed":   {func(th *stage.Thread) { th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFail)) }, "end"},
	"stopped":  {func(th *stage.Thread) { th.Begun(th.Execute("r1")); th.Stop("label-r1") }, "stopped:label-r1"},
	"waited": {func(th *stage.Thread) {
		c := th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
		th.Carried("r2")
	}, "end:r2"},
	"stopped while it waited": {func(th *stage.Thread) {
		c := th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		th.Stop("label-r2")
		th.OK(stage.Ending(c, 2, 1, "end", store.EndFinish))
	}, "cancelled:r2"},
	"all of it stopped": {func(th *stage.Thread) {
		th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		th.StopAll("i", "r1")
	}, "cancelled:r2"},
	"buried": {func(th *stage.Thread) { th.Bury(stage.Failing(th.Begun(th.Execute("r1")))) }, "failed:r1"},
	"answered": {func(th *stage.Thread) {
		askAbout(th, th.Begun(th.Execute("r1")), 2, 1)
		c := th.Begun(th.Resume("r2", "exe-r1"))
		th.OK(stage.Ending(c, 2, th.View().Seq, "end", store.EndFinish))
	}, "end"},
}

var DeleteTests = []stage.Test{
	{"of a deleted thread nothing can be read, and its log begins again under another epoch", func(e *stage.Env) {
		th := e.Thread()
		unused := th.View()
		b := th.Execute("r1")
		b.Title, b.Tenant = "Title", "acme"
		end := stage.Ending(th.Begun(b), 2, 1, "b end", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws("{}")[0], Order: []string{}}
		th.OK(end)
		before := th.View()
		stage.Same(th, "deleted", stage.Deleted(th), true)
		q := store.ReadQuery{RunID: "r1", Label: "label-r1", After: &store.Position{Epoch: before.Epoch, Seq: 1}}
		v := th.View(q)
		if v.Run != nil || v.Labelled != nil || v.Latest != nil || v.Recovered || v.Snapshot.State != nil || len(v.Log) > 0 {
			e.Errorf("left: %s", stage.Show(v))
		}
		stage.Same(th, "numbers", fmt.Sprint(v.Version, v.Base, v.Seq, v.Boundary, v.Title, v.Tenant), "0 1 0 0")
		stage.Same(th, "known to be deleted", fmt.Sprint(unused.Deleted, before.Deleted, v.Deleted), "false false true")
		if v.Epoch == before.Epoch || v.Epoch == "" || v.Epoch != th.View().Epoch {
			e.Errorf("epoch %q after %q", v.Epoch, before.Epoch)
		}
		r, err := th.Store.Range(e.Context(), th.Key, before.Epoch, 1, 10)
		stage.Same(th, "range", stage.Must(th, r, err).Status, store.RangeEpoch)
		stage.Same(th, "list", list(th, "space", 0), "")
		stage.Same(th, "deleted again", stage.Deleted(th), true)
		stage.Same(th, "epoch", th.View().Epoch, v.Epoch)
	}},
	{"a thread is not deleted while a run is active or an input waits", func(e *stage.Env) {
		th := e.Thread()
		refused := func(when string) {
			e.Helper()
			th.Unchanged(func() { stage.Same(th, when, stage.Deleted(th), false) })
		}
		claim := th.Begun(th.Execute("r1"))
		refused("active")
		askAbout(th, claim, 2, 1)
		th.Begun(th.Wait("r2"))
		refused("suspended and queued")
		claim = th.Begun(th.Resume("r3", "exe-r1"))
		th.OK(stage.Ending(claim, 2, 3, "end", store.EndFinish))
		refused("queued")
		claim = th.Claimed("t2", store.ClaimQueued).Claim
		refused("claimed")
		th.Activate(claim)
		th.OK(stage.Ending(claim, 2, 5, "end", store.EndFinish))
		stage.Same(th, "at rest", stage.Deleted(th), true)
	}},
	{"whoever hears that the last run has ended can delete the thread", func(e *stage.Env) {
		for how, last := range lastRuns {
			th := e.On(e.Node("a"), how)
			other := e.Node("b")
			th.From(other).View(store.ReadQuery{Follower: true})
			deleted := make(chan bool, 1)
			other.Listen(func(d store.Delivery) {
				if n := len(d.Events); d.Kind == store.DeliverEvents && d.Thread == th.Key && n > 0 && string(d.Events[n-1]) == last.event {
					go func() {
						ok, err := other.Delete(e.Context(), th.Key, stage.Deleting(""))
						deleted <- ok && err == nil
					}()
				}
			})
			last.run(th)
			stage.Eventually(th, how+": the end is heard", func() bool {
				select {
				case ok := <-deleted:
					stage.Same(th, how+": deleted", ok, true)
					return true
				default:
					return false
				}
			})
		}
	}},
	{"who follows a deleted thread hears that its log has begun again", func(e *stage.Env) {
		th := e.Thread()
		other := e.Node("b")
		ears := []*stage.Heard{stage.Listen(th.Store), stage.Listen(other)}
		th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
		th.From(other).View(store.ReadQuery{Follower: true})
		stage.Deleted(th)
		epoch := th.View().Epoch
		for _, h := range ears {
			stage.Eventually(th, "it is heard", func() bool {
				h.Mu.Lock()
				defer h.Mu.Unlock()
				last := store.Delivery{}
				if len(h.All) > 0 {
					last = h.All[len(h.All)-1]
				}
				return last.Kind == store.DeliverEvents && last.Thread == th.Key && last.Epoch == epoch && last.First == 1 && len(last.Events) == 0
			})
		}
		th.Begun(th.Execute("r2"))
		stage.Eventually(th, "the other node still follows", func() bool { return ears[1].Logged(th.Key) != "" })
	}},
	{"what was judged on a deleted thread is stale in its next life", func(e *stage.Env) {
		th := e.Thread()
		th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
		judged := th.Execute("r9")
		stage.Deleted(th)
		stage.Same(th, "at once", th.Begin(judged).Status, store.BeginStale)
		th.OK(stage.Ending(th.Begun(th.Execute("r2")), 2, 1, "end", store.EndFinish))
		if th.View().Version <= judged.Version {
			e.Errorf("version %d after %d", th.View().Version, judged.Version)
		}
		stage.Same(th, "later", th.Begin(judged).Status, store.BeginStale)
		stage.Same(th, "log", th.Logged(), "start:r2 end")
		stage.Deleted(th)
		th.Begun(th.Execute("r3"))
		stage.Same(th, "in its third life", th.Begin(judged).Status, store.BeginStale)
	}},
	{"an unused thread may be deleted, and stays unused", func(e *stage.Env) {
		th := e.Thread()
		th.Unchanged(func() { stage.Same(th, "deleted", stage.Deleted(th), true) })
	}},
	{"deleting a thread leaves another of the same partition and namespace alone", func(e *stage.Env) {
		s := e.Node("a")
		for i := range 10 {
			th := e.On(s, fmt.Sprint("t", i))
			th.OK(stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish))
		}
		for i := range 5 {
			stage.Deleted(e.On(s, fmt.Sprint("t", 2*i)))
		}
		for i := range 10 {
			stage.Same(e.On(s, fmt.Sprint("t", i)), "events", e.On(s, fmt.Sprint("t", i)).View().Seq, int64(i%2*2))
		}
		stage.Same(e.On(s, "t"), "list", len(infos(e.On(s, "t"), "space", 3)), 5)
	}},
}
