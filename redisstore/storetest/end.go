package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

var endTests = []test{
	{"an end closes the run, its execution and its claim", func(e *env) {
		for _, kind := range []store.EndKind{store.EndFinish, store.EndFail, store.EndCancel} {
			th := e.on(e.node("a"), string(kind))
			c := th.begun(th.execute("r1"))
			res := th.ok(ending(c, 2, 1, "b end", kind))
			v := th.view(store.ReadQuery{RunID: "r1"})
			same(th, "end", res.End, store.Position{Epoch: v.Epoch, Seq: 3})
			same(th, "flags", []bool{res.Ready, res.GaveBack, v.Active == nil, v.Suspension == nil}, []bool{false, false, true, true})
			same(th, "run", string(v.Run.Status)+string(v.Run.Terminal), "endedend")
			same(th, "numbers", []int64{v.Version, v.Boundary, v.Seq}, []int64{2, 3, 3})
			th.unchanged(func() {
				same(th, "commit after the end", th.commit(batch(c, 3, 3, "x")).Status, store.CommitFenced)
				same(th, "renew after the end", th.renew(c), false)
				if _, err := th.s.Journal(e.Context(), c); !errors.Is(err, store.ErrClaimLost) {
					e.Errorf("journal after the end: %v", err)
				}
			})
		}
	}},
	{"an end sent again is recognised with what it answered", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		b := ending(c, 2, 1, "end", store.EndFinish)
		first := th.ok(b)
		if !first.Ready {
			e.Error("the queue was not released")
		}
		th.unchanged(func() { same(th, "answer", th.commit(b), first) })
		// Still so when others have gone on.
		next := th.claimed("t2", store.ClaimQueued)
		th.activate(next.Claim)
		th.unchanged(func() { same(th, "answer", th.commit(b), first) })
	}},
	{"a suspension comes back byte for byte", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := ending(c, 2, 1, "asks", store.EndSuspend)
		b.End.Suspension = json.RawMessage(" {\"z\":1.0, \"a\":\"\\u00e9\xc3\xa9\",\"big\":12345678901234567890} ")
		b.Entries = raws(`"asked"`)
		th.ok(b)
		v := th.view(store.ReadQuery{ToolCallIDs: []string{"call", "other"}, InterruptIDs: []string{"int"}})
		same(th, "suspension", string(v.Suspension), string(b.End.Suspension))
		same(th, "asked", v.Asked, map[string]bool{"call": true})
		same(th, "answers", len(v.Answers), 0)
		if v.Active != nil {
			e.Error("a run is active")
		}
	}},
	{"a suspension holds the queue", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.begun(th.wait("r2"))
		if th.ok(ending(c, 2, 1, "asks", store.EndSuspend)).Ready || th.due() {
			e.Error("released")
		}
		th.claimed("t", store.ClaimNothing)
	}},
	{"any other end releases the queue", func(e *env) {
		for _, kind := range []store.EndKind{store.EndFinish, store.EndFail, store.EndCancel} {
			th := e.on(e.node("a"), string(kind))
			c := th.begun(th.execute("r1"))
			th.begun(th.wait("r2"))
			if !th.ok(ending(c, 2, 1, "end", kind)).Ready || !th.due() {
				e.Errorf("%s: not released", kind)
			}
		}
	}},
	{"a snapshot moves to the end of the batch and keeps the order of messages", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := ending(c, 2, 1, "b end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{State: raws(`{"n":1}`)[0], Order: []string{"m2", "m1", "\"3"},
			Upsert: map[string]json.RawMessage{"m1": raws(`"one"`)[0], "m2": raws(`"two"`)[0], "\"3": raws(`"three"`)[0]}}
		th.ok(b)
		v := th.view()
		same(th, "snapshot", show(v.Snapshot), show(store.Snapshot{At: 3, State: raws(`{"n":1}`)[0], Messages: raws(`"two" "one" "three"`)}))
		same(th, "log after it", text(v.Log), "")
		c = th.begun(th.execute("r2"))
		same(th, "log after it", th.log(), "start:r2")
		b = ending(c, 2, 4, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{"m1", "m2"}, Remove: []string{"\"3"},
			Upsert: map[string]json.RawMessage{"m1": raws(`"uno"`)[0]}}
		th.ok(b)
		same(th, "snapshot", show(th.view().Snapshot), show(store.Snapshot{At: 5, State: raws(`{"n":1}`)[0], Messages: raws(`"uno" "two"`)}))
		c = th.begun(th.execute("r3"))
		th.ok(ending(c, 2, 6, "end", store.EndFinish))
		same(th, "an end without one leaves it", th.view().Snapshot.At, 5)
		same(th, "log after it", th.log(), "start:r3 end")
	}},
	{"a snapshot's order grows and shrinks at its end", func(e *env) {
		th := e.thread()
		var want []string
		number := 0
		change := func(drop, add int) {
			number++
			run := fmt.Sprint("r", number)
			c := th.begun(th.execute(run))
			b := ending(c, 2, int64(2*number-1), "end", store.EndFinish)
			u := &store.SnapshotUpdate{Drop: drop, Upsert: map[string]json.RawMessage{}}
			want = want[:max(len(want)-drop, 0)]
			for i := range add {
				id := fmt.Sprintf("%s %d", run, i)
				if i%100 == 99 {
					id = strings.Repeat(id+" ", 100)
				}
				u.Append = append(u.Append, id)
				u.Upsert[id] = raw(strconv.Quote(id))
				want = append(want, strconv.Quote(id))
			}
			b.End.Snapshot = u
			th.ok(b)
			var got []string
			for _, m := range th.view().Snapshot.Messages {
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
	{"a snapshot's order is given whole or by what changes", func(e *env) {
		th := e.thread()
		c := th.begun(th.execute("r1"))
		b := ending(c, 2, 1, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{"m"}, Append: []string{"n"}}
		if _, err := th.s.Commit(e.Context(), b); err == nil {
			e.Error("both were taken")
		}
	}},
	{"an empty list of messages is a list", func(e *env) {
		th := e.thread()
		b := ending(th.begun(th.execute("r1")), 2, 1, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Order: []string{}}
		th.ok(b)
		if v := th.view(); len(v.Snapshot.Messages) != 0 || v.Snapshot.State != nil || v.Snapshot.At != 2 {
			e.Errorf("snapshot: %s", show(v.Snapshot))
		}
	}},
	{"a log at rest is trimmed, never past its snapshot", func(e *env) {
		e.retain = 3
		th := e.thread()
		c := th.begun(th.execute("r1"))
		th.ok(ending(c, 2, 1, "b c d e f", store.EndFinish))
		same(th, "without a snapshot", []int64{th.view().Base, th.view().Seq}, []int64{1, 6})
		c = th.begun(th.execute("r2"))
		b := ending(c, 2, 7, "h i", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{State: raws("{}")[0]}
		th.ok(b)
		same(th, "with one", []int64{th.view().Base, th.view().Seq}, []int64{7, 9})
		c = th.begun(th.execute("r3"))
		th.ok(batch(c, 2, 10, "k"))
		r, err := th.s.Range(e.Context(), th.key, th.view().Epoch, 7, 100)
		same(th, "range", text(must(th, r, err).Events), "start:r2 h i start:r3 k")
		same(th, "restating", th.log(), "start:r3 k")
	}},
}
