package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

var EndTests = []stage.Test{
	{"an end closes the run, its execution and its claim", func(e *stage.Env) {
		for _, kind := range []store.EndKind{store.EndFinish, store.EndFail, store.EndCancel} {
			th := e.On(e.Node("a"), string(kind))
			c := th.Begun(th.Execute("r1"))
			res := th.OK(stage.Ending(c, 2, 1, "b end", kind))
			v := th.View(store.ReadQuery{RunID: "r1"})
			stage.Same(th, "end", res.End, store.Position{Epoch: v.Epoch, Seq: 3})
			stage.Same(th, "flags", []bool{res.Ready, res.GaveBack, v.Active == nil, v.Suspension == nil}, []bool{false, false, true, true})
			stage.Same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedend")
			stage.Same(th, "numbers", []int64{v.Version, v.Boundary, v.Seq}, []int64{2, 3, 3})
			th.Unchanged(func() {
				stage.Same(th, "commit after the end", th.Commit(stage.Batch(c, 3, 3, "x")).Status, store.CommitFenced)
				stage.Same(th, "renew after the end", th.Renew(c), false)
				if _, err := th.Store.Journal(e.Context(), c); !errors.Is(err, store.ErrClaimLost) {
					e.Errorf("journal after the end: %v", err)
				}
			})
		}
	}},
	{"an end sent again is recognised with what it answered", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		b := stage.Ending(c, 2, 1, "end", store.EndFinish)
		first := th.OK(b)
		if !first.Ready {
			e.Error("the queue was not released")
		}
		th.Unchanged(func() { stage.Same(th, "answer", th.Commit(b), first) })
		// Still so when others have gone on.
		next := th.Claimed("t2", store.ClaimQueued)
		th.Activate(next.Claim)
		th.Unchanged(func() { stage.Same(th, "answer", th.Commit(b), first) })
	}},
	{"a suspension comes back byte for byte", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Ending(c, 2, 1, "asks", store.EndSuspend)
		b.End.Suspension = json.RawMessage(" {\"z\":1.0, \"a\":\"\\u00e9\xc3\xa9\",\"big\":12345678901234567890} ")
		b.Entries = stage.Raws(`"asked"`)
		th.OK(b)
		v := th.View(store.ReadQuery{ToolCallIDs: []string{"call", "other"}, InterruptIDs: []string{"int"}})
		stage.Same(th, "suspension", string(v.Suspension), string(b.End.Suspension))
		stage.Same(th, "asked", v.Asked, map[string]bool{"call": true})
		stage.Same(th, "answers", len(v.Answers), 0)
		if v.Active != nil {
			e.Error("a run is active")
		}
	}},
	{"a suspension holds the queue", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.Begun(th.Wait("r2"))
		if th.OK(stage.Ending(c, 2, 1, "asks", store.EndSuspend)).Ready || th.Due() {
			e.Error("released")
		}
		th.Claimed("t", store.ClaimNothing)
	}},
	{"any other end releases the queue", func(e *stage.Env) {
		for _, kind := range []store.EndKind{store.EndFinish, store.EndFail, store.EndCancel} {
			th := e.On(e.Node("a"), string(kind))
			c := th.Begun(th.Execute("r1"))
			th.Begun(th.Wait("r2"))
			if !th.OK(stage.Ending(c, 2, 1, "end", kind)).Ready || !th.Due() {
				e.Errorf("%s: not released", kind)
			}
		}
	}},
	{"a snapshot moves to the end of the batch and keeps the order of messages", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Ending(c, 2, 1, "b end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws(`{"n":1}`)[0], Order: []string{"m2", "m1", "\"3"},
			Upsert: map[string]json.RawMessage{"m1": stage.Raws(`"one"`)[0], "m2": stage.Raws(`"two"`)[0], "\"3": stage.Raws(`"three"`)[0]}}
		th.OK(b)
		v := th.View()
		stage.Same(th, "snapshot", stage.Show(v.Snapshot), stage.Show(store.Snapshot{At: 3, State: stage.Raws(`{"n":1}`)[0], Messages: stage.Raws(`"two" "one" "three"`)}))
		stage.Same(th, "log after it", stage.Text(v.Log), "")
		c = th.Begun(th.Execute("r2"))
		stage.Same(th, "log after it", th.Logged(), "start:r2")
		b = stage.Ending(c, 2, 4, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{"m1", "m2"}, Remove: []string{"\"3"},
			Upsert: map[string]json.RawMessage{"m1": stage.Raws(`"uno"`)[0]}}
		th.OK(b)
		stage.Same(th, "snapshot", stage.Show(th.View().Snapshot), stage.Show(store.Snapshot{At: 5, State: stage.Raws(`{"n":1}`)[0], Messages: stage.Raws(`"uno" "two"`)}))
		c = th.Begun(th.Execute("r3"))
		th.OK(stage.Ending(c, 2, 6, "end", store.EndFinish))
		stage.Same(th, "an end without one leaves it", th.View().Snapshot.At, 5)
		stage.Same(th, "log after it", th.Logged(), "start:r3 end")
	}},
	{"a snapshot's order grows and shrinks at its end", func(e *stage.Env) {
		th := e.Thread()
		var want []string
		number := 0
		change := func(drop, add int) {
			number++
			run := fmt.Sprint("r", number)
			c := th.Begun(th.Execute(run))
			b := stage.Ending(c, 2, int64(2*number-1), "end", store.EndFinish)
			u := &store.SnapshotUpdate{Drop: drop, Upsert: map[string]json.RawMessage{}}
			want = want[:max(len(want)-drop, 0)]
			for i := range add {
				id := fmt.Sprintf("%s %d", run, i)
				if i%100 == 99 {
					id = strings.Repeat(id+" ", 100)
				}
				u.Append = append(u.Append, id)
				u.Upsert[id] = stage.Raw(strconv.Quote(id))
				want = append(want, strconv.Quote(id))
			}
			b.End.Snapshot = u
			th.OK(b)
			var got []string
			for _, m := range th.View().Snapshot.Messages {
				got = append(got, string(m))
			}
			if !slices.Equal(got, want) {
				e.Errorf("%d off and %d on: %d messages, not %d", drop, add, len(got), len(want))
			}
		}
		for _, step := range [][2]int{{0, 1}, {0, 127}, {0, 1}, {1, 0}, {1, 2}, {0, 500}, {300, 0}, {0, 3}, {5, 200}, {10000, 0}, {1, 1}, {0, 129}, {129, 128}, {3, 3}} {
			change(step[0], step[1])
		}
	}},
	{"a snapshot's order is given whole or by what changes", func(e *stage.Env) {
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		b := stage.Ending(c, 2, 1, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{"m"}, Append: []string{"n"}}
		if _, err := th.Store.Commit(e.Context(), b); err == nil {
			e.Error("both were taken")
		}
	}},
	{"an empty list of messages is a list", func(e *stage.Env) {
		th := e.Thread()
		b := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{}}
		th.OK(b)
		if v := th.View(); len(v.Snapshot.Messages) != 0 || v.Snapshot.State != nil || v.Snapshot.At != 2 {
			e.Errorf("snapshot: %s", stage.Show(v.Snapshot))
		}
	}},
	{"a log at rest is trimmed, never past its snapshot", func(e *stage.Env) {
		e.Retain = 3
		th := e.Thread()
		c := th.Begun(th.Execute("r1"))
		th.OK(stage.Ending(c, 2, 1, "b c d e f", store.EndFinish))
		stage.Same(th, "without a snapshot", []int64{th.View().Base, th.View().Seq}, []int64{1, 6})
		c = th.Begun(th.Execute("r2"))
		b := stage.Ending(c, 2, 7, "h i", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{State: stage.Raws("{}")[0]}
		th.OK(b)
		stage.Same(th, "with one", []int64{th.View().Base, th.View().Seq}, []int64{7, 9})
		c = th.Begun(th.Execute("r3"))
		th.OK(stage.Batch(c, 2, 10, "k"))
		r, err := th.Store.Range(e.Context(), th.Key, th.View().Epoch, 7, 100)
		stage.Same(th, "range", stage.Text(stage.Must(th, r, err).Events), "start:r2 h i start:r3 k")
		stage.Same(th, "restating", th.Logged(), "start:r3 k")
	}},
}
