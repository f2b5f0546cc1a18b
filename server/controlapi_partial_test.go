package server

import (
	"context"
	"fmt"
	"net/http"
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
	r, err := runner.New(partStore{embedded(t)}, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
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
