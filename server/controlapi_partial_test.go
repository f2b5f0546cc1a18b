package server

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/adapter/store"
)

// partStore is a store of which a part does not answer.
type partStore struct{ store.Store }

var errPart = fmt.Errorf("%w: %w", store.ErrPartial, store.ErrOutcomeUnknown)

func (s partStore) Inbox(ctx context.Context, q store.InboxQuery) (store.InboxPage, error) {
	page, _ := s.Store.Inbox(ctx, q)
	return page, errPart
}

func (s partStore) Threads(ctx context.Context, q store.ThreadQuery) (store.ThreadPage, error) {
	page, _ := s.Store.Threads(ctx, q)
	page.Next = "later"
	return page, errPart
}

func (s partStore) DeadLetters(context.Context, store.PageQuery) (store.DeadLetterPage, error) {
	return store.DeadLetterPage{}, errPart
}

func (s partStore) CountTenant(context.Context, string) (map[store.DispatchState]int64, error) {
	return map[store.DispatchState]int64{store.DispatchAcked: 1}, errPart
}

func (s partStore) WorkStats(context.Context, []string) ([]store.WorkStats, error) {
	return []store.WorkStats{{Waiting: 1}}, errPart
}

// A page says when a part of the store is missing on it. A sum that misses a part is
// none.
func TestV1PartOfTheStoreGone(t *testing.T) {
	r := newRunner(t, partStore{embedded(t)}, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	v := newV1On(t, r, &Options{}).as("0123456789abcdef-root-of-all")
	v.call("addInput", 202, "/threads/t/input", `{"text":"/say hello","runId":"r"}`)
	for _, tt := range []struct {
		id, path string
		items    int
	}{{"listInbox", "/inbox", 0}, {"listThreads", "/threads", 1}, {"listDispatches", "/dispatches", 0}} {
		page := v.call(tt.id, 200, tt.path, "")
		if items, _ := page["items"].([]any); page["partial"] != true || len(items) != tt.items {
			t.Errorf("%s: %v", tt.id, page)
		}
	}
	if page := v.call("listThreads", 200, "/threads", ""); page["next"] != "later" {
		t.Errorf("no next page: %v", page)
	}
	for _, sum := range []string{"/dispatches/counts", "/work"} {
		if status, text, _ := v.send(http.MethodGet, sum, "", nil); status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", sum, status, text)
		}
	}
}

// partTree is a store of which the tree, or what lists say of threads, does not answer.
type partTree struct {
	store.Store
	tree, infos *atomic.Bool
}

func (s partTree) TreeWalk(ctx context.Context, q store.TreeWalk) ([]store.TreeItem, string, error) {
	if s.tree.Load() {
		return nil, "", errPart
	}
	return s.Store.TreeWalk(ctx, q)
}

func (s partTree) TreeDescribed(ctx context.Context, namespace string, threads []string) ([]*store.Node, error) {
	if s.tree.Load() {
		return nil, errPart
	}
	return s.Store.TreeDescribed(ctx, namespace, threads)
}

func (s partTree) ThreadInfos(ctx context.Context, threads []store.ThreadKey) ([]*store.ThreadInfo, error) {
	if s.infos.Load() {
		return nil, errPart
	}
	return s.Store.ThreadInfos(ctx, threads)
}

// A thread of which a part cannot be read says so, and tells no time at which it was not made.
// What was changed is told as changed.
func TestV1PartOfAThreadGone(t *testing.T) {
	s := partTree{embedded(t), new(atomic.Bool), new(atomic.Bool)}
	r := newRunner(t, s, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	v := newV1On(t, r, &Options{})
	v.call("createThread", 201, "/threads", `{"threadId":"t","resourceId":"r"}`)
	v.call("addInput", 202, "/threads/t/input", say("/say hello"))
	v.rests("t")
	s.tree.Store(true)
	page := v.call("listThreads", 200, "/threads", "")
	for _, thread := range []map[string]any{v.call("getThread", 200, "/threads/t", ""), listedThread(page, "t")} {
		if thread["partial"] != true || thread["createdAt"] != nil || thread["rootThreadId"] != nil || thread["title"] == "" {
			t.Errorf("%v", thread)
		}
	}
	if page["partial"] != true {
		t.Errorf("%v", page)
	}
	s.tree.Store(false)
	s.infos.Store(true)
	if got := v.call("changeThread", 200, "/threads/t/tree", `{"resourceId":"s","version":1}`); got["partial"] != true || got["version"] != 2.0 || got["resourceId"] != "s" {
		t.Errorf("%v", got)
	}
}
