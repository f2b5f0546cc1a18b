// Package threads holds what a store promises of threads: what is read, followed, listed, kept
// and forgotten of them.
package threads

import (
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var ReadTests = []stage.Test{
	{"an unused thread reads as an empty one, whose epoch stays once it is followed", func(e *stage.Env) {
		th := e.Thread()
		if v := th.View(); v.Epoch != "" || v.Version != 0 {
			e.Errorf("looking at a thread used it: %+v", v)
		}
		v := th.View(store.ReadQuery{Follower: true})
		if v.Epoch == "" {
			e.Error("no epoch")
		}
		stage.Same(th, "view", []int64{v.Version, v.Base, v.Seq, v.Boundary}, []int64{0, 1, 0, 0})
		if v.Active != nil || v.Latest != nil || v.Suspension != nil || len(v.Log)+len(v.Queue) > 0 {
			e.Errorf("not empty: %+v", v)
		}
		stage.Same(th, "epoch", th.View().Epoch, v.Epoch)
	}},
	{"a namespace cannot reach another's thread", func(e *stage.Env) {
		th := e.Thread()
		th.Begun(th.Execute("r1"))
		for _, key := range []store.ThreadKey{{Namespace: "other", Thread: "t"}, {Namespace: "spac", Thread: "et"}, {Namespace: "", Thread: "spacet"}} {
			foreign := &stage.Thread{Env: e, Store: th.Store, Key: key}
			if v := foreign.View(store.ReadQuery{RunID: "r1", Label: "label-r1"}); v.Seq != 0 || v.Run != nil || v.Labelled != nil {
				e.Errorf("%v sees %+v", key, v)
			}
		}
	}},
	{"a thread may be named by any bytes", func(e *stage.Env) {
		s := e.Node("a")
		for _, id := range []string{"", "{x}", "a:b\x00c\n*?[", "\xff\xfe", strings.Repeat("long", 200)} {
			th := e.On(s, id)
			th.Begun(th.Wait("r1"))
			if !th.Due() {
				e.Errorf("%q: not due under its own name", id)
			}
			c := th.Claimed("t1", store.ClaimQueued).Claim
			stage.Same(th, "key", c.Thread, th.Key)
			th.Activate(c)
			stage.Same(th, "log", th.Logged(), "start:r1")
		}
	}},
	{"a position of the same epoch is recovered with the events after it", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.OK(stage.Batch(c, 2, 1, "b c"))
		epoch := th.View().Epoch
		for seq, missed := range []string{"start:r1 b c", "b c", "c", ""} {
			v := th.View(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: int64(seq)}})
			if !v.Recovered || stage.Text(v.Missed) != missed || v.Log != nil {
				e.Errorf("after %d: recovered %t, missed %q, log %q", seq, v.Recovered, stage.Text(v.Missed), stage.Text(v.Log))
			}
		}
	}},
	{"a position beyond the log, before it or of another epoch is not recovered", func(e *stage.Env) {
		e.Retain = 2
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		end := stage.Ending(c, 2, 1, "b c d", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws(`{}`)[0]}
		th.OK(end)
		epoch := th.View().Epoch
		for _, p := range []store.Position{{Epoch: epoch, Seq: 5}, {Epoch: epoch, Seq: 1}, {Epoch: "other", Seq: 4}, {Epoch: "", Seq: 4}, {Epoch: epoch, Seq: -1}} {
			if v := th.View(store.ReadQuery{After: &p}); v.Recovered || v.Missed != nil {
				e.Errorf("%+v: recovered, missed %q", p, stage.Text(v.Missed))
			}
		}
		if v := th.View(store.ReadQuery{After: &store.Position{Epoch: epoch, Seq: 2}}); !v.Recovered || stage.Text(v.Missed) != "c d" {
			e.Errorf("after 2: recovered %t, missed %q", v.Recovered, stage.Text(v.Missed))
		}
	}},
	{"who holds the thread as of a position reads what is behind it and nothing else", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		end := stage.Ending(c, 2, 1, "b c", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws(`{"n":1}`)[0], Order: []string{"m1"}, Upsert: map[string]json.RawMessage{"m1": stage.Raws(`"one"`)[0]}}
		th.OK(end)
		c = th.Begun(th.Execute("r2"))
		th.OK(stage.Batch(c, 2, 4, "d e"))
		epoch := th.View().Epoch
		for seq, behind := range map[int64]string{3: "start:r2 d e", 4: "d e", 5: "e", 6: ""} {
			v := th.View(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: seq}, RunID: "r2"})
			if !v.Held || v.Recovered || v.From != seq || stage.Text(v.Log) != behind || v.Snapshot.At != 3 || v.Snapshot.Messages != nil || v.Snapshot.State != nil {
				e.Errorf("as of %d: held %t from %d, log %q, snapshot %s", seq, v.Held, v.From, stage.Text(v.Log), stage.Show(v.Snapshot))
			}
			if v.Active == nil || v.Run == nil || v.Version == 0 || v.Bytes == 0 {
				e.Errorf("as of %d there is less of the record: %+v", seq, v)
			}
		}
		for _, p := range []store.Position{{Epoch: epoch, Seq: 7}, {Epoch: "other", Seq: 4}, {Epoch: "", Seq: 4}, {Epoch: epoch, Seq: -1}, {}} {
			v := th.View(store.ReadQuery{Have: &p})
			if v.Held || v.From != 3 || stage.Text(v.Log) != "start:r2 d e" || len(v.Snapshot.Messages) != 1 {
				e.Errorf("%+v: held %t from %d, log %q, snapshot %s", p, v.Held, v.From, stage.Text(v.Log), stage.Show(v.Snapshot))
			}
		}
		if v := th.View(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: 5}, After: &store.Position{Epoch: epoch, Seq: 4}}); !v.Recovered || v.Held || stage.Text(v.Missed) != "d e" {
			e.Errorf("with events wanted: recovered %t, held %t, missed %q", v.Recovered, v.Held, stage.Text(v.Missed))
		}
	}},
	{"a position before what is retained is not held", func(e *stage.Env) {
		e.Retain = 2
		th := e.Thread()
		end := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "b c d", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws(`{}`)[0]}
		th.OK(end)
		epoch := th.View().Epoch
		if v := th.View(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: 1}}); v.Held || string(v.Snapshot.State) != "{}" {
			e.Errorf("held %t from %d", v.Held, v.From)
		}
		if v := th.View(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: 4}}); !v.Held || len(v.Log) != 0 {
			e.Errorf("held %t from %d", v.Held, v.From)
		}
	}},
	{"nobody holds a thread as it was before it was deleted", func(e *stage.Env) {
		th := e.Thread()
		end := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "b", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws(`{}`)[0]}
		th.OK(end)
		have := &store.Position{Epoch: th.View().Epoch, Seq: 2}
		if deleted, err := th.Store.Delete(e.Context(), th.Key, stage.Deleting("")); err != nil || !deleted {
			e.Fatal(deleted, err)
		}
		if v := th.View(store.ReadQuery{Have: have}); v.Held {
			e.Error("held")
		}
		th.OK(stage.Ending(th.Begun(th.Execute("r2")), 2, 1, "b c", store.EndFinish))
		if v := th.View(store.ReadQuery{Have: have}); v.Held {
			e.Error("held by the thread's next life")
		}
	}},
	{"runs are found by label, oldest first, and by id", func(e *stage.Env) {
		th := e.Thread()
		for i, run := range []string{"r1", "r2"} {
			b := th.Execute(run)
			b.Label = "both"
			th.OK(stage.Ending(th.Begun(b), 2, int64(2*i+1), "end:"+run, store.EndFinish))
		}
		v := th.View(store.ReadQuery{Label: "both", RunID: "r1"})
		if len(v.Labelled) != 2 || v.Labelled[0].ID != "r1" || v.Labelled[1].ID != "r2" {
			e.Fatalf("labelled: %s", stage.Show(v.Labelled))
		}
		want := store.RunState{ID: "r1", Record: stage.Raws(`{"run":"r1"}`)[0], Status: store.RunEnded, RunStarted: 1,
			Terminal: stage.Raws("end:r1")[0], Execution: "exe-r1", LatestOfExe: "r1"}
		stage.Same(th, "run", *v.Run, want)
		stage.Same(th, "latest", v.Latest.ID, "r2")
		if v := th.View(store.ReadQuery{Label: "none", RunID: "none"}); v.Run != nil || v.Labelled != nil {
			e.Errorf("unknown ones are found: %s", stage.Show(v))
		}
	}},
}
