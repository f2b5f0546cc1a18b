package redisstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A page for which nothing is found ends after so many threads were looked at, and goes on
// from there; times are looked up, however many threads are newer.
func TestWhatIsLookedAtForAPageOfThreadsIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	server := redistest.Start(t, redistest.Options{})
	now := time.UnixMilli(1_800_000_000_000)
	s := open(t, server.URL(), Options{Partitions: 2, Timeout: patience, Clock: func() time.Time { return now }})
	const threads = 1100
	first, resource, agent := now, "r", "nobody"
	for i := range threads {
		b := inline(0, "r1")
		b.Thread.Thread = fmt.Sprint("thread-", i)
		begin(t, s, b)
		if _, err := s.PutNode(t.Context(), b.Thread, store.NodeChange{Request: b.Thread.Thread, Version: store.AnyVersion, Resource: &resource}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(time.Second)
	}
	nobody := store.ThreadFilter{Agent: &agent}
	cost := func(call func()) int {
		before := commands(t, server)
		call()
		return commands(t, server) - before
	}
	page := func(q store.ThreadQuery) (p store.ThreadPage) {
		t.Helper()
		q.Namespace = testKey.Namespace
		p, err := s.Threads(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	tree := func(q store.TreeQuery) ([]store.TreeItem, string) {
		t.Helper()
		q.Namespace = testKey.Namespace
		items, next, err := s.TreePage(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return items, next
	}
	p := page(store.ThreadQuery{ThreadFilter: nobody})
	if len(p.Threads) != 0 || p.Next == "" {
		t.Errorf("of %d threads a page has looked at all: %+v", threads, p)
	}
	if p = page(store.ThreadQuery{ThreadFilter: nobody, Cursor: p.Next}); len(p.Threads) != 0 || p.Next != "" {
		t.Errorf("the second page is not the last: %+v", p)
	}
	items, next := tree(store.TreeQuery{Resource: "r", ThreadFilter: nobody})
	if len(items) != 0 || next == "" {
		t.Errorf("of %d threads a page has looked at all: %v", threads, items)
	}
	if items, next = tree(store.TreeQuery{Resource: "r", ThreadFilter: nobody, Cursor: next}); len(items) != 0 || next != "" {
		t.Errorf("the second page is not the last: %v", items)
	}
	oldest := cost(func() {
		if p := page(store.ThreadQuery{To: first.Add(time.Second)}); len(p.Threads) != 1 || p.Threads[0].Thread.Thread != "thread-0" {
			t.Errorf("%+v", p)
		}
	})
	treed := cost(func() {
		if items, _ := tree(store.TreeQuery{Resource: "r", To: first.Add(time.Second)}); len(items) != 1 || items[0].Thread != "thread-0" {
			t.Errorf("%+v", items)
		}
	})
	if oldest > 20 || treed > 20 {
		t.Errorf("%d and %d commands for the oldest thread, want 20 at most", oldest, treed)
	}
}
