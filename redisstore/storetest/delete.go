package storetest

import (
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
)

func (th *thread) deleted() bool {
	th.Helper()
	ok, err := th.s.Delete(th.Context(), th.key, Deleting(""))
	return must(th, ok, err)
}

// lastRuns are the ways in which a thread comes to rest, and the event that says so.
var lastRuns = map[string]struct {
	run   func(th *thread)
	event string
}{
	"finished": {func(th *thread) { th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish)) }, "end"},
	"failed":   {func(th *thread) { th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFail)) }, "end"},
	"stopped":  {func(th *thread) { th.begun(th.execute("r1")); th.stop("label-r1") }, "stopped:label-r1"},
	"waited": {func(th *thread) {
		c := th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		th.ok(ending(c, 2, 1, "end", store.EndFinish))
		th.carried("r2")
	}, "end:r2"},
	"stopped while it waited": {func(th *thread) {
		c := th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		th.stop("label-r2")
		th.ok(ending(c, 2, 1, "end", store.EndFinish))
	}, "cancelled:r2"},
	"all of it stopped": {func(th *thread) {
		th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		th.stopAll("i", "r1")
	}, "cancelled:r2"},
	"buried": {func(th *thread) { th.bury(failing(th.begun(th.execute("r1")))) }, "failed:r1"},
	"answered": {func(th *thread) {
		th.asks(th.begun(th.execute("r1")), 2, 1)
		c := th.begun(th.resume("r2", "exe-r1"))
		th.ok(ending(c, 2, th.view().Seq, "end", store.EndFinish))
	}, "end"},
}

var deleteTests = []test{
	{"of a deleted thread nothing can be read, and its log begins again under another epoch", func(e *env) {
		th := e.thread()
		unused := th.view()
		b := th.execute("r1")
		b.Title, b.Tenant = "Title", "acme"
		end := ending(th.begun(b), 2, 1, "b end", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: raws("{}")[0], Order: []string{}}
		th.ok(end)
		before := th.view()
		same(th, "deleted", th.deleted(), true)
		q := store.ReadQuery{RunID: "r1", Label: "label-r1", After: &store.Position{Epoch: before.Epoch, Seq: 1}}
		v := th.view(q)
		if v.Run != nil || v.Labelled != nil || v.Latest != nil || v.Recovered || v.Snapshot.State != nil || len(v.Log) > 0 {
			e.Errorf("left: %s", show(v))
		}
		same(th, "numbers", fmt.Sprint(v.Version, v.Base, v.Seq, v.Boundary, v.Title, v.Tenant), "0 1 0 0")
		same(th, "known to be deleted", fmt.Sprint(unused.Deleted, before.Deleted, v.Deleted), "false false true")
		if v.Epoch == before.Epoch || v.Epoch == "" || v.Epoch != th.view().Epoch {
			e.Errorf("epoch %q after %q", v.Epoch, before.Epoch)
		}
		r, err := th.s.Range(e.Context(), th.key, before.Epoch, 1, 10)
		same(th, "range", must(th, r, err).Status, store.RangeEpoch)
		same(th, "list", th.list("space", 0), "")
		same(th, "deleted again", th.deleted(), true)
		same(th, "epoch", th.view().Epoch, v.Epoch)
	}},
	{"a thread is not deleted while a run is active or an input waits", func(e *env) {
		th := e.thread()
		refused := func(when string) {
			e.Helper()
			th.unchanged(func() { same(th, when, th.deleted(), false) })
		}
		claim := th.begun(th.execute("r1"))
		refused("active")
		th.asks(claim, 2, 1)
		th.begun(th.wait("r2"))
		refused("suspended and queued")
		claim = th.begun(th.resume("r3", "exe-r1"))
		th.ok(ending(claim, 2, 3, "end", store.EndFinish))
		refused("queued")
		claim = th.claimed("t2", store.ClaimQueued).Claim
		refused("claimed")
		th.activate(claim)
		th.ok(ending(claim, 2, 5, "end", store.EndFinish))
		same(th, "at rest", th.deleted(), true)
	}},
	{"whoever hears that the last run has ended can delete the thread", func(e *env) {
		for how, last := range lastRuns {
			th := e.on(e.node("a"), how)
			other := e.node("b")
			th.from(other).view(store.ReadQuery{Follower: true})
			deleted := make(chan bool, 1)
			other.Listen(func(d store.Delivery) {
				if n := len(d.Events); d.Kind == store.DeliverEvents && d.Thread == th.key && n > 0 && string(d.Events[n-1]) == last.event {
					go func() {
						ok, err := other.Delete(e.Context(), th.key, Deleting(""))
						deleted <- ok && err == nil
					}()
				}
			})
			last.run(th)
			eventually(th, how+": the end is heard", func() bool {
				select {
				case ok := <-deleted:
					same(th, how+": deleted", ok, true)
					return true
				default:
					return false
				}
			})
		}
	}},
	{"who follows a deleted thread hears that its log has begun again", func(e *env) {
		th := e.thread()
		other := e.node("b")
		ears := []*heard{listen(th.s), listen(other)}
		th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
		th.from(other).view(store.ReadQuery{Follower: true})
		th.deleted()
		epoch := th.view().Epoch
		for _, h := range ears {
			eventually(th, "it is heard", func() bool {
				h.mu.Lock()
				defer h.mu.Unlock()
				last := store.Delivery{}
				if len(h.all) > 0 {
					last = h.all[len(h.all)-1]
				}
				return last.Kind == store.DeliverEvents && last.Thread == th.key && last.Epoch == epoch && last.First == 1 && len(last.Events) == 0
			})
		}
		th.begun(th.execute("r2"))
		eventually(th, "the other node still follows", func() bool { return ears[1].log(th.key) != "" })
	}},
	{"what was judged on a deleted thread is stale in its next life", func(e *env) {
		th := e.thread()
		th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
		judged := th.execute("r9")
		th.deleted()
		same(th, "at once", th.begin(judged).Status, store.BeginStale)
		th.ok(ending(th.begun(th.execute("r2")), 2, 1, "end", store.EndFinish))
		if th.view().Version <= judged.Version {
			e.Errorf("version %d after %d", th.view().Version, judged.Version)
		}
		same(th, "later", th.begin(judged).Status, store.BeginStale)
		same(th, "log", th.log(), "start:r2 end")
		th.deleted()
		th.begun(th.execute("r3"))
		same(th, "in its third life", th.begin(judged).Status, store.BeginStale)
	}},
	{"an unused thread may be deleted, and stays unused", func(e *env) {
		th := e.thread()
		th.unchanged(func() { same(th, "deleted", th.deleted(), true) })
	}},
	{"deleting a thread leaves another of the same partition and namespace alone", func(e *env) {
		s := e.node("a")
		for i := range 10 {
			th := e.on(s, fmt.Sprint("t", i))
			th.ok(ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish))
		}
		for i := range 5 {
			e.on(s, fmt.Sprint("t", 2*i)).deleted()
		}
		for i := range 10 {
			same(e.on(s, fmt.Sprint("t", i)), "events", e.on(s, fmt.Sprint("t", i)).view().Seq, int64(i%2*2))
		}
		same(e.on(s, "t"), "list", len(e.on(s, "t").infos("space", 3)), 5)
	}},
}
