package storetest

import (
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

var readTests = []test{
	{"an unused thread reads as an empty one, whose epoch stays once it is followed", func(e *env) {
		th := e.thread()
		if v := th.view(); v.Epoch != "" || v.Version != 0 {
			e.Errorf("looking at a thread used it: %+v", v)
		}
		v := th.view(store.ReadQuery{Follower: true})
		if v.Epoch == "" {
			e.Error("no epoch")
		}
		same(th, "view", []int64{v.Version, v.Base, v.Seq, v.Boundary}, []int64{0, 1, 0, 0})
		if v.Active != nil || v.Latest != nil || v.Suspension != nil || len(v.Log)+len(v.Queue) > 0 {
			e.Errorf("not empty: %+v", v)
		}
		same(th, "epoch", th.view().Epoch, v.Epoch)
	}},
	{"a namespace cannot reach another's thread", func(e *env) {
		th := e.thread()
		th.begun(th.execute("r1"))
		for _, key := range []store.ThreadKey{{Namespace: "other", Thread: "t"}, {Namespace: "spac", Thread: "et"}, {Namespace: "", Thread: "spacet"}} {
			foreign := &thread{e, th.s, key}
			if v := foreign.view(store.ReadQuery{RunID: "r1", Label: "label-r1"}); v.Seq != 0 || v.Run != nil || v.Labelled != nil {
				e.Errorf("%v sees %+v", key, v)
			}
		}
	}},
	{"a thread may be named by any bytes", func(e *env) {
		s := e.node("a")
		for _, id := range []string{"", "{x}", "a:b\x00c\n*?[", "\xff\xfe", strings.Repeat("long", 200)} {
			th := e.on(s, id)
			th.begun(th.wait("r1"))
			if !th.due() {
				e.Errorf("%q: not due under its own name", id)
			}
			c := th.claimed("t1", store.ClaimQueued).Claim
			same(th, "key", c.Thread, th.key)
			th.activate(c)
			same(th, "log", th.log(), "start:r1")
		}
	}},
	{"a position of the same epoch is recovered with the events after it", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.ok(batch(c, 2, 1, "b c"))
		epoch := th.view().Epoch
		for seq, missed := range []string{"start:r1 b c", "b c", "c", ""} {
			v := th.view(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: int64(seq)}})
			if !v.Recovered || text(v.Missed) != missed || v.Log != nil {
				e.Errorf("after %d: recovered %t, missed %q, log %q", seq, v.Recovered, text(v.Missed), text(v.Log))
			}
		}
	}},
	{"a position beyond the log, before it or of another epoch is not recovered", func(e *env) {
		e.retain = 2
		th := e.thread()
		c := th.begun(th.execute("r1"))
		end := ending(c, 2, 1, "b c d", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: raws(`{}`)[0]}
		th.ok(end)
		epoch := th.view().Epoch
		for _, p := range []store.Position{{Epoch: epoch, Seq: 5}, {Epoch: epoch, Seq: 1}, {Epoch: "other", Seq: 4}, {Epoch: "", Seq: 4}, {Epoch: epoch, Seq: -1}} {
			if v := th.view(store.ReadQuery{After: &p}); v.Recovered || v.Missed != nil {
				e.Errorf("%+v: recovered, missed %q", p, text(v.Missed))
			}
		}
		if v := th.view(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 2}}); !v.Recovered || text(v.Missed) != "c d" {
			e.Errorf("after 2: recovered %t, missed %q", v.Recovered, text(v.Missed))
		}
	}},
	{"runs are found by label, oldest first, and by id", func(e *env) {
		th := e.thread()
		for i, run := range []string{"r1", "r2"} {
			b := th.execute(run)
			b.Label = "both"
			th.ok(ending(th.begun(b), 2, int64(2*i+1), "end:"+run, store.EndFinish))
		}
		v := th.view(store.ReadQuery{Label: "both", RunID: "r1"})
		if len(v.Labelled) != 2 || v.Labelled[0].ID != "r1" || v.Labelled[1].ID != "r2" {
			e.Fatalf("labelled: %s", show(v.Labelled))
		}
		want := store.RunState{ID: "r1", Record: raws(`{"run":"r1"}`)[0], Status: store.RunEnded, RunStarted: 1,
			Terminal: raws("end:r1")[0], Execution: "exe-r1", LatestOfExe: "r1"}
		same(th, "run", *v.Run, want)
		same(th, "latest", v.Latest.ID, "r2")
		if v := th.view(store.ReadQuery{Label: "none", RunID: "none"}); v.Run != nil || v.Labelled != nil {
			e.Errorf("unknown ones are found: %s", show(v))
		}
	}},
}
