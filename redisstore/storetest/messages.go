package storetest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
)

// holding is a thread at rest with so many messages, m0 and on, each no shorter than that.
func (th *thread) holding(count, bytes int) {
	th.Helper()
	u := &store.SnapshotUpdate{State: raw(`{"s":1}`), Upsert: map[string]json.RawMessage{}}
	for i := range count {
		id := fmt.Sprint("m", i)
		u.Append = append(u.Append, id)
		u.Upsert[id] = messageText(i, bytes)
	}
	end := ending(th.begun(th.execute("r1")), 2, 1, "b", store.EndFinish)
	end.End.Snapshot = u
	th.ok(end)
}

// messageText is a message that nothing makes much smaller.
func messageText(i, bytes int) json.RawMessage {
	var text strings.Builder
	for n := uint64(i)*7919 + 1; text.Len() < bytes; {
		n = n*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(&text, "%016x", n^n>>29)
	}
	return raw(fmt.Sprintf(`{"id":"m%d","text":"%s"}`, i, text.String()))
}

// named are the ids in messages of holding.
func named(messages []json.RawMessage) string {
	var list []string
	for _, m := range messages {
		var of struct{ ID string }
		_ = json.Unmarshal(m, &of)
		list = append(list, of.ID)
	}
	return strings.Join(list, " ")
}

// numbered is what named says of the messages from one up to another.
func numbered(from, to int) string {
	var list []string
	for i := from; i < to; i++ {
		list = append(list, fmt.Sprint("m", i))
	}
	return strings.Join(list, " ")
}

func (th *thread) page(before string, limit int) store.MessagePage {
	th.Helper()
	page, err := th.s.Messages(th.Context(), th.key, store.MessageQuery{Before: before, Limit: limit})
	return must(th, page, err)
}

// by says who produced the messages of all pages, from the first message on.
func (th *thread) by(limit int, bare bool) string {
	th.Helper()
	out, ids := "", strings.Fields(named(th.view().Snapshot.Messages))
	known := map[string]store.Producer{}
	for before, first := "", true; first || before != ""; first = false {
		page, err := th.s.Messages(th.Context(), th.key, store.MessageQuery{Before: before, Limit: limit, Bare: bare})
		page = must(th, page, err)
		same(th, "bare", bare && len(page.Messages) > 0, false)
		for id, p := range page.Producers {
			known[id] = p
		}
		before = page.Before
	}
	for _, id := range ids {
		if p, ok := known[id]; ok {
			out += fmt.Sprintf("%s:%s/%s ", id, p.RunID, p.Step)
		} else {
			out += id + " "
		}
	}
	return strings.TrimSpace(out)
}

var messageTests = []test{
	{"ids of messages may be any, such as the names of what a store keeps beside them", func(e *env) {
		th, ids := e.thread(), []string{"p", "n", "s", "f", "r", "m", "o0", "mp", "0", ""}
		for turn, run := range []string{"r1", "r2"} {
			u := &store.SnapshotUpdate{State: raw(`{"s":1}`), Upsert: map[string]json.RawMessage{}, Producers: map[string]store.Producer{}}
			for _, id := range ids[turn*len(ids)/2 : (turn+1)*len(ids)/2] {
				u.Append, u.Upsert[id], u.Producers[id] = append(u.Append, id), raw(fmt.Sprintf(`{"id":%q}`, id)), store.Producer{RunID: run}
			}
			b := ending(th.begun(th.execute(run)), 2, th.view().Seq, "end", store.EndFinish)
			b.End.Snapshot = u
			th.ok(b)
		}
		want := strings.Join(ids, " ")
		same(th, "messages", named(th.view().Snapshot.Messages), want)
		same(th, "a page", named(th.page("", 20).Messages), want)
		same(th, "the state", string(th.view().Snapshot.State), `{"s":1}`)
	}},
	{"a page says how many messages are before it, when many were taken off", func(e *env) {
		th := e.thread()
		th.holding(300, 10)
		b := ending(th.begun(th.execute("r2")), 2, th.view().Seq, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Drop: 200}
		for i := 100; i < 300; i++ {
			b.End.Snapshot.Remove = append(b.End.Snapshot.Remove, fmt.Sprint("m", i))
		}
		th.ok(b)
		page := th.page("", 10)
		same(th, "messages", named(page.Messages), numbered(90, 100))
		same(th, "older", page.Older, int64(90))
	}},
	{"a page says who produced its messages, whatever was put behind them or taken off", func(e *env) {
		th := e.thread()
		th.holding(3, 10)
		number, texts := 3, map[string]json.RawMessage{}
		turn := func(run string, u *store.SnapshotUpdate) {
			e.Helper()
			b := ending(th.begun(th.execute(run)), 2, th.view().Seq, "end", store.EndFinish)
			b.End.Snapshot = u
			th.ok(b)
		}
		// adds lets runs produce so many messages each.
		adds := func(run string, drop int, counts map[string]int, order ...string) {
			e.Helper()
			u := &store.SnapshotUpdate{Drop: drop, Upsert: map[string]json.RawMessage{}, Producers: map[string]store.Producer{}}
			for _, of := range order {
				for range counts[of] {
					id := fmt.Sprint("m", number)
					u.Append, u.Upsert[id] = append(u.Append, id), messageText(number, 10)
					if texts[id] = u.Upsert[id]; of != "" {
						producer, step, _ := strings.Cut(of, "/")
						u.Producers[id] = store.Producer{RunID: producer, Step: step}
					}
					number++
				}
			}
			for i := range drop {
				u.Remove = append(u.Remove, strings.Fields(named(th.view().Snapshot.Messages))[len(th.view().Snapshot.Messages)-1-i])
			}
			turn(run, u)
		}
		all := func(want string) {
			e.Helper()
			for _, limit := range []int{1, 2, 100} {
				same(th, fmt.Sprint("pages of ", limit), th.by(limit, false), want)
			}
			same(th, "bare", th.by(3, true), want)
		}
		adds("r2", 0, map[string]int{"a/": 1, "a/plan": 2}, "a/", "a/plan")
		all("m0 m1 m2 m3:a/ m4:a/plan m5:a/plan")
		adds("r3", 0, map[string]int{"a/plan": 1, "": 1, "b/": 1}, "a/plan", "", "b/")
		all("m0 m1 m2 m3:a/ m4:a/plan m5:a/plan m6:a/plan m7 m8:b/")
		adds("r4", 4, map[string]int{"c/": 2}, "c/")
		all("m0 m1 m2 m3:a/ m4:a/plan m9:c/ m10:c/")
		adds("r5", 6, nil)
		all("m0")
		adds("r6", 0, map[string]int{"d/": 1}, "d/")
		all("m0 m11:d/")
		turn("r7", &store.SnapshotUpdate{Order: []string{"m11", "m0"}, Producers: map[string]store.Producer{"m0": {RunID: "e"}}})
		all("m11 m0:e/")
		adds("r8", 0, map[string]int{"f/": 300, "": 40, "g/s": 200}, "f/", "", "g/s")
		adds("r9", 250, map[string]int{"h/": 3}, "h/")
		var want strings.Builder
		want.WriteString("m11 m0:e/")
		for i := range 290 {
			fmt.Fprintf(&want, " m%d:f/", 12+i)
		}
		want.WriteString(" m552:h/ m553:h/ m554:h/")
		same(th, "many", th.by(37, false), want.String())
		deleted, err := th.s.Delete(e.Context(), th.key, Deleting(""))
		same(th, "deleted", must(th, deleted, err), true)
		th.holding(2, 10)
		same(th, "begun again", th.by(5, false), "m0 m1")
	}},
	{"a window has the last messages, and pages have those before, in order", func(e *env) {
		th := e.thread()
		th.holding(300, 10)
		th.ok(batch(th.begun(th.execute("r2")), 2, 3, "c d"))
		for _, n := range []int{1, 5, 44, 128, 299} {
			v := th.view(store.ReadQuery{Window: n})
			same(th, fmt.Sprint("window of ", n), named(v.Snapshot.Messages), numbered(300-n, 300))
			same(th, "the rest", words(v.Snapshot.Older, string(v.Snapshot.State), v.Snapshot.At, v.From, text(v.Log)), words(300-n, `{"s":1}`, 2, 2, "start:r2 c d"))
			at := 300 - n
			for before := v.Snapshot.Before; before != ""; {
				page := th.page(before, 37)
				same(th, fmt.Sprint("page before ", at), named(page.Messages), numbered(max(at-37, 0), at))
				at = max(at-37, 0)
				same(th, "older", page.Older, int64(at))
				same(th, "at the beginning", page.Before == "", at == 0)
				before = page.Before
			}
			same(th, "came to", at, 0)
		}
		for _, n := range []int{300, 301, 1000} {
			v := th.view(store.ReadQuery{Window: n})
			same(th, fmt.Sprint("window of ", n), named(v.Snapshot.Messages), numbered(0, 300))
			same(th, "older", words(v.Snapshot.Older, v.Snapshot.Before), "0")
		}
		page := th.page("", 0)
		same(th, "the last page", named(page.Messages), numbered(250, 300))
		same(th, "whole", named(th.view().Snapshot.Messages), numbered(0, 300))
	}},
	{"an unused thread has an empty window and no pages", func(e *env) {
		th := e.thread()
		v := th.view(store.ReadQuery{Window: 5})
		same(th, "window", words(len(v.Snapshot.Messages), v.Snapshot.Older, v.Snapshot.Before, v.Version), "0 0 0")
		same(th, "page", show(th.page("", 5)), show(store.MessagePage{Messages: []json.RawMessage{}, Producers: map[string]store.Producer{}}))
	}},
	{"a window goes with what is missed and with what is asked for, and an event wanted comes first", func(e *env) {
		th := e.thread()
		th.holding(10, 10)
		epoch := th.view().Epoch
		v := th.view(store.ReadQuery{Window: 3, After: &store.Position{Epoch: epoch, Seq: 1}, RunID: "r1"})
		same(th, "view", words(v.Recovered, text(v.Missed), len(v.Snapshot.Messages), v.Run.ID), "true b 0 r1")
		v = th.view(store.ReadQuery{Window: 3, After: &store.Position{Epoch: "other", Seq: 1}})
		same(th, "restated", words(v.Recovered, named(v.Snapshot.Messages)), "false "+numbered(7, 10))
	}},
	{"a window and a page have fewer messages where these are long", func(e *env) {
		th := e.thread()
		th.holding(40, 100_000)
		v := th.view(store.ReadQuery{Window: 40})
		n := len(v.Snapshot.Messages)
		if n < 5 || n > 30 || v.Snapshot.Older != int64(40-n) {
			e.Fatalf("%d messages of 4 MB, %d before them", n, v.Snapshot.Older)
		}
		same(th, "window", named(v.Snapshot.Messages), numbered(40-n, 40))
		page := th.page(v.Snapshot.Before, 40)
		same(th, "page", named(page.Messages), numbered(40-n-len(page.Messages), 40-n))
		same(th, "whole", named(th.view().Snapshot.Messages), numbered(0, 40))
	}},
	{"a place stays while messages come behind it, and is found when those before it have moved", func(e *env) {
		th := e.thread()
		th.holding(300, 10)
		before := th.view(store.ReadQuery{Window: 50}).Snapshot.Before
		change := func(run string, u *store.SnapshotUpdate) {
			b := ending(th.begun(th.execute(run)), 2, th.view().Seq, "end", store.EndFinish)
			b.End.Snapshot = u
			th.ok(b)
		}
		change("r2", &store.SnapshotUpdate{Append: []string{"m300"}, Upsert: map[string]json.RawMessage{"m300": messageText(300, 10)}})
		page := th.page(before, 20)
		same(th, "behind it", words(named(page.Messages), page.Older), numbered(230, 250)+" 230")
		change("r3", &store.SnapshotUpdate{Order: slices.Concat(strings.Fields(numbered(100, 301)), strings.Fields(numbered(0, 100)))})
		page = th.page(before, 60)
		same(th, "before it", words(named(page.Messages), page.Older), numbered(190, 250)+" 90")
		page = th.page(page.Before, 100)
		same(th, "and on", words(named(page.Messages), page.Older, page.Before), numbered(100, 190)+" 0")
		change("r4", &store.SnapshotUpdate{Order: strings.Fields(numbered(0, 10)), Remove: strings.Fields(numbered(10, 301))})
		if _, err := th.s.Messages(e.Context(), th.key, store.MessageQuery{Before: before, Limit: 5}); !errors.Is(err, store.ErrBadCursor) {
			e.Errorf("a place that is gone: %v", err)
		}
		for _, cursor := range []string{"x", "!", "MTox"} {
			if _, err := th.s.Messages(e.Context(), th.key, store.MessageQuery{Before: cursor}); !errors.Is(err, store.ErrBadCursor) {
				e.Errorf("%q: %v", cursor, err)
			}
		}
	}},
	{"a large thread reads as a small one, with all of its log", func(e *env) {
		th := e.thread()
		th.holding(3000, 200)
		c := th.begun(th.execute("r2"))
		var want []string
		for i := range 40 {
			for j := range 10 {
				want = append(want, fmt.Sprint(i, "-", j, strings.Repeat("x", 2000)))
			}
			th.ok(batch(c, int64(i+2), int64(3+10*i), strings.Join(want[10*i:], " ")))
		}
		log := "start:r2 " + strings.Join(want, " ")
		v := th.view()
		same(th, "whole", words(named(v.Snapshot.Messages), string(v.Snapshot.State), v.Snapshot.Older, v.From), words(numbered(0, 3000), `{"s":1}`, 0, 2))
		same(th, "log", text(v.Log), log)
		v = th.view(store.ReadQuery{Window: 10})
		same(th, "window", words(named(v.Snapshot.Messages), v.Snapshot.Older), numbered(2990, 3000)+" 2990")
		same(th, "its log", text(v.Log), log)
		v = th.view(store.ReadQuery{Have: &store.Position{Epoch: v.Epoch, Seq: 3}})
		same(th, "held", words(v.Held, v.From, text(v.Log)), words(true, 3, strings.TrimPrefix(log, "start:r2 ")))
	}},
}
