package threads

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// holding is a thread at rest with so many messages, m0 and on, each no shorter than that.
func holding(th *stage.Thread, count, bytes int) {
	th.Helper()
	u := &store.SnapshotUpdate{State: stage.Raw(`{"s":1}`), Upsert: map[string]json.RawMessage{}}
	for i := range count {
		id := fmt.Sprint("m", i)
		u.Append = append(u.Append, id)
		u.Upsert[id] = messageText(i, bytes)
	}
	end := stage.Ending(th.Begun(th.Execute("r1")), 2, 1, "b", store.EndFinish)
	end.End.Snapshot = u
	th.OK(end)
}

// messageText is a message that nothing makes much smaller.
func messageText(i, bytes int) json.RawMessage {
	var text strings.Builder
	for n := uint64(i)*7919 + 1; text.Len() < bytes; {
		n = n*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(&text, "%016x", n^n>>29)
	}
	return stage.Raw(fmt.Sprintf(`{"id":"m%d","text":"%s"}`, i, text.String()))
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

func pageOf(th *stage.Thread, before string, limit int) store.MessagePage {
	th.Helper()
	page, err := th.Store.Messages(th.Context(), th.Key, store.MessageQuery{Before: before, Limit: limit})
	return stage.Must(th, page, err)
}

// by says who produced the messages of all pages, from the first message on.
func by(th *stage.Thread, limit int, bare bool) string {
	th.Helper()
	out, ids := "", strings.Fields(named(th.View().Snapshot.Messages))
	known := map[string]store.Producer{}
	for before, first := "", true; first || before != ""; first = false {
		page, err := th.Store.Messages(th.Context(), th.Key, store.MessageQuery{Before: before, Limit: limit, Bare: bare})
		page = stage.Must(th, page, err)
		stage.Same(th, "bare", bare && len(page.Messages) > 0, false)
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

var MessageTests = []stage.Test{
	{"ids of messages may be any, such as the names of what a store keeps beside them", func(e *stage.Env) {
		th, ids := e.Thread(), []string{"p", "n", "s", "f", "r", "m", "o0", "mp", "0", ""}
		for turn, run := range []string{"r1", "r2"} {
			u := &store.SnapshotUpdate{State: stage.Raw(`{"s":1}`), Upsert: map[string]json.RawMessage{}, Producers: map[string]store.Producer{}}
			for _, id := range ids[turn*len(ids)/2 : (turn+1)*len(ids)/2] {
				u.Append, u.Upsert[id], u.Producers[id] = append(u.Append, id), stage.Raw(fmt.Sprintf(`{"id":%q}`, id)), store.Producer{RunID: run}
			}
			b := stage.Ending(th.Begun(th.Execute(run)), 2, th.View().Seq, "end", store.EndFinish)
			b.End.Snapshot = u
			th.OK(b)
		}
		want := strings.Join(ids, " ")
		stage.Same(th, "messages", named(th.View().Snapshot.Messages), want)
		stage.Same(th, "a page", named(pageOf(th, "", 20).Messages), want)
		stage.Same(th, "the state", string(th.View().Snapshot.State), `{"s":1}`)
	}},
	{"a page says how many messages are before it, when many were taken off", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 300, 10)
		b := stage.Ending(th.Begun(th.Execute("r2")), 2, th.View().Seq, "end", store.EndFinish)
		b.End.Snapshot = &store.SnapshotUpdate{Drop: 200}
		for i := 100; i < 300; i++ {
			b.End.Snapshot.Remove = append(b.End.Snapshot.Remove, fmt.Sprint("m", i))
		}
		th.OK(b)
		page := pageOf(th, "", 10)
		stage.Same(th, "messages", named(page.Messages), numbered(90, 100))
		stage.Same(th, "older", page.Older, int64(90))
	}},
	{"a page says who produced its messages, whatever was put behind them or taken off", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 3, 10)
		number, texts := 3, map[string]json.RawMessage{}
		turn := func(run string, u *store.SnapshotUpdate) {
			e.Helper()
			b := stage.Ending(th.Begun(th.Execute(run)), 2, th.View().Seq, "end", store.EndFinish)
			b.End.Snapshot = u
			th.OK(b)
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
				u.Remove = append(u.Remove, strings.Fields(named(th.View().Snapshot.Messages))[len(th.View().Snapshot.Messages)-1-i])
			}
			turn(run, u)
		}
		all := func(want string) {
			e.Helper()
			for _, limit := range []int{1, 2, 100} {
				stage.Same(th, fmt.Sprint("pages of ", limit), by(th, limit, false), want)
			}
			stage.Same(th, "bare", by(th, 3, true), want)
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
		stage.Same(th, "many", by(th, 37, false), want.String())
		deleted, err := th.Store.Delete(e.Context(), th.Key, stage.Deleting(""))
		stage.Same(th, "deleted", stage.Must(th, deleted, err), true)
		holding(th, 2, 10)
		stage.Same(th, "begun again", by(th, 5, false), "m0 m1")
	}},
	{"a window has the last messages, and pages have those before, in order", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 300, 10)
		th.OK(stage.Batch(th.Begun(th.Execute("r2")), 2, 3, "c d"))
		for _, n := range []int{1, 5, 44, 128, 299} {
			v := th.View(store.ReadQuery{Window: n})
			stage.Same(th, fmt.Sprint("window of ", n), named(v.Snapshot.Messages), numbered(300-n, 300))
			stage.Same(th, "the rest", stage.Words(v.Snapshot.Older, string(v.Snapshot.State), v.Snapshot.At, v.From, stage.Text(v.Log)), stage.Words(300-n, `{"s":1}`, 2, 2, "start:r2 c d"))
			at := 300 - n
			for before := v.Snapshot.Before; before != ""; {
				page := pageOf(th, before, 37)
				stage.Same(th, fmt.Sprint("page before ", at), named(page.Messages), numbered(max(at-37, 0), at))
				at = max(at-37, 0)
				stage.Same(th, "older", page.Older, int64(at))
				stage.Same(th, "at the beginning", page.Before == "", at == 0)
				before = page.Before
			}
			stage.Same(th, "came to", at, 0)
		}
		for _, n := range []int{300, 301, 1000} {
			v := th.View(store.ReadQuery{Window: n})
			stage.Same(th, fmt.Sprint("window of ", n), named(v.Snapshot.Messages), numbered(0, 300))
			stage.Same(th, "older", stage.Words(v.Snapshot.Older, v.Snapshot.Before), "0")
		}
		page := pageOf(th, "", 0)
		stage.Same(th, "the last page", named(page.Messages), numbered(250, 300))
		stage.Same(th, "whole", named(th.View().Snapshot.Messages), numbered(0, 300))
	}},
	{"an unused thread has an empty window and no pages", func(e *stage.Env) {
		th := e.Thread()
		v := th.View(store.ReadQuery{Window: 5})
		stage.Same(th, "window", stage.Words(len(v.Snapshot.Messages), v.Snapshot.Older, v.Snapshot.Before, v.Version), "0 0 0")
		stage.Same(th, "page", stage.Show(pageOf(th, "", 5)), stage.Show(store.MessagePage{Messages: []json.RawMessage{}, Producers: map[string]store.Producer{}}))
	}},
	{"a window goes with what is missed and with what is asked for, and an event wanted comes first", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 10, 10)
		epoch := th.View().Epoch
		v := th.View(store.ReadQuery{Window: 3, After: &store.Position{Epoch: epoch, Seq: 1}, RunID: "r1"})
		stage.Same(th, "view", stage.Words(v.Recovered, stage.Text(v.Missed), len(v.Snapshot.Messages), v.Run.ID), "true b 0 r1")
		v = th.View(store.ReadQuery{Window: 3, After: &store.Position{Epoch: "other", Seq: 1}})
		stage.Same(th, "restated", stage.Words(v.Recovered, named(v.Snapshot.Messages)), "false "+numbered(7, 10))
	}},
	{"a window and a page have fewer messages where these are long", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 40, 100_000)
		v := th.View(store.ReadQuery{Window: 40})
		n := len(v.Snapshot.Messages)
		if n < 5 || n > 30 || v.Snapshot.Older != int64(40-n) {
			e.Fatalf("%d messages of 4 MB, %d before them", n, v.Snapshot.Older)
		}
		stage.Same(th, "window", named(v.Snapshot.Messages), numbered(40-n, 40))
		page := pageOf(th, v.Snapshot.Before, 40)
		stage.Same(th, "page", named(page.Messages), numbered(40-n-len(page.Messages), 40-n))
		stage.Same(th, "whole", named(th.View().Snapshot.Messages), numbered(0, 40))
	}},
	{"a place stays while messages come behind it, and is found when those before it have moved", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 300, 10)
		before := th.View(store.ReadQuery{Window: 50}).Snapshot.Before
		change := func(run string, u *store.SnapshotUpdate) {
			b := stage.Ending(th.Begun(th.Execute(run)), 2, th.View().Seq, "end", store.EndFinish)
			b.End.Snapshot = u
			th.OK(b)
		}
		change("r2", &store.SnapshotUpdate{Append: []string{"m300"}, Upsert: map[string]json.RawMessage{"m300": messageText(300, 10)}})
		page := pageOf(th, before, 20)
		stage.Same(th, "behind it", stage.Words(named(page.Messages), page.Older), numbered(230, 250)+" 230")
		change("r3", &store.SnapshotUpdate{Order: slices.Concat(strings.Fields(numbered(100, 301)), strings.Fields(numbered(0, 100)))})
		page = pageOf(th, before, 60)
		stage.Same(th, "before it", stage.Words(named(page.Messages), page.Older), numbered(190, 250)+" 90")
		page = pageOf(th, page.Before, 100)
		stage.Same(th, "and on", stage.Words(named(page.Messages), page.Older, page.Before), numbered(100, 190)+" 0")
		change("r4", &store.SnapshotUpdate{Order: strings.Fields(numbered(0, 10)), Remove: strings.Fields(numbered(10, 301))})
		if _, err := th.Store.Messages(e.Context(), th.Key, store.MessageQuery{Before: before, Limit: 5}); !errors.Is(err, store.ErrBadCursor) {
			e.Errorf("a place that is gone: %v", err)
		}
		for _, cursor := range []string{"x", "!", "MTox"} {
			if _, err := th.Store.Messages(e.Context(), th.Key, store.MessageQuery{Before: cursor}); !errors.Is(err, store.ErrBadCursor) {
				e.Errorf("%q: %v", cursor, err)
			}
		}
	}},
	{"a large thread reads as a small one, with all of its log", func(e *stage.Env) {
		th := e.Thread()
		holding(th, 3000, 200)
		c := th.Begun(th.Execute("r2"))
		var want []string
		for i := range 40 {
			for j := range 10 {
				want = append(want, fmt.Sprint(i, "-", j, strings.Repeat("x", 2000)))
			}
			th.OK(stage.Batch(c, int64(i+2), int64(3+10*i), strings.Join(want[10*i:], " ")))
		}
		log := "start:r2 " + strings.Join(want, " ")
		v := th.View()
		stage.Same(th, "whole", stage.Words(named(v.Snapshot.Messages), string(v.Snapshot.State), v.Snapshot.Older, v.From), stage.Words(numbered(0, 3000), `{"s":1}`, 0, 2))
		stage.Same(th, "log", stage.Text(v.Log), log)
		v = th.View(store.ReadQuery{Window: 10})
		stage.Same(th, "window", stage.Words(named(v.Snapshot.Messages), v.Snapshot.Older), numbered(2990, 3000)+" 2990")
		stage.Same(th, "its log", stage.Text(v.Log), log)
		v = th.View(store.ReadQuery{Have: &store.Position{Epoch: v.Epoch, Seq: 3}})
		stage.Same(th, "held", stage.Words(v.Held, v.From, stage.Text(v.Log)), stage.Words(true, 3, strings.TrimPrefix(log, "start:r2 ")))
	}},
}
