package storetest

import (
	"encoding/json"
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
	{"who holds the thread as of a position reads what is behind it and nothing else", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		end := ending(c, 2, 1, "b c", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: raws(`{"n":1}`)[0], Order: []string{"m1"}, Upsert: map[string]json.RawMessage{"m1": raws(`"one"`)[0]}}
		th.ok(end)
		c = th.begun(th.execute("r2"))
		th.ok(batch(c, 2, 4, "d e"))
		epoch := th.view().Epoch
		for seq, behind := range map[int64]string{3: "start:r2 d e", 4: "d e", 5: "e", 6: ""} {
			v := th.view(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: seq}, RunID: "r2"})
			if !v.Held || v.Recovered || v.From != seq || text(v.Log) != behind || v.Snapshot.At != 3 || v.Snapshot.Messages != nil || v.Snapshot.State != nil {
				e.Errorf("as of %d: held %t from %d, log %q, snapshot %s", seq, v.Held, v.From, text(v.Log), show(v.Snapshot))
			}
			if v.Active == nil || v.Run == nil || v.Version == 0 || v.Bytes == 0 {
				e.Errorf("as of %d there is less of the record: %+v", seq, v)
			}
		}
		for _, p := range []store.Position{{Epoch: epoch, Seq: 7}, {Epoch: "other", Seq: 4}, {Epoch: "", Seq: 4}, {Epoch: epoch, Seq: -1}, {}} {
			v := th.view(store.ReadQuery{Have: &p})
			if v.Held || v.From != 3 || text(v.Log) != "start:r2 d e" || len(v.Snapshot.Messages) != 1 {
				e.Errorf("%+v: held %t from %d, log %q, snapshot %s", p, v.Held, v.From, text(v.Log), show(v.Snapshot))
			}
		}
		if v := th.view(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: 5}, After: &store.Position{Epoch: epoch, Seq: 4}}); !v.Recovered || v.Held || text(v.Missed) != "d e" {
			e.Errorf("with events wanted: recovered %t, held %t, missed %q", v.Recovered, v.Held, text(v.Missed))
		}
	}},
	{"a position before what is retained is not held", func(e *env) {
		e.retain = 2
		th := e.thread()
		end := ending(th.begun(th.execute("r1")), 2, 1, "b c d", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: raws(`{}`)[0]}
		th.ok(end)
		epoch := th.view().Epoch
		if v := th.view(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: 1}}); v.Held || string(v.Snapshot.State) != "{}" {
			e.Errorf("held %t from %d", v.Held, v.From)
		}
		if v := th.view(store.ReadQuery{Have: &store.Position{Epoch: epoch, Seq: 4}}); !v.Held || len(v.Log) != 0 {
			e.Errorf("held %t from %d", v.Held, v.From)
		}
	}},
	{"nobody holds a thread as it was before it was deleted", func(e *env) {
		th := e.thread()
		end := ending(th.begun(th.execute("r1")), 2, 1, "b", store.EndFinish)
		end.End.Snapshot = &store.SnapshotUpdate{State: raws(`{}`)[0]}
		th.ok(end)
		have := &store.Position{Epoch: th.view().Epoch, Seq: 2}
		if deleted, err := th.s.Delete(e.Context(), th.key, Deleting("")); err != nil || !deleted {
			e.Fatal(deleted, err)
		}
		if v := th.view(store.ReadQuery{Have: have}); v.Held {
			e.Error("held")
		}
		th.ok(ending(th.begun(th.execute("r2")), 2, 1, "b c", store.EndFinish))
		if v := th.view(store.ReadQuery{Have: have}); v.Held {
			e.Error("held by the thread's next life")
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
