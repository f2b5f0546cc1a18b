package redisstore

import (
	"context"
	"errors"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// A key that is of another type costs nobody but its own: lists go on without it and say so, and
// a thread can be deleted.
func TestAKeyOfAWrongTypeKeepsNothingElse(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{})
	ctx := context.Background()
	hurt := s.conn.Keys.Thread(testKey)
	good := testKey
	for s.conn.Keys.Thread(good).Part == hurt.Part {
		good.Thread += "x"
	}
	for _, key := range []store.ThreadKey{testKey, good} {
		suspendOn(t, s, key)
	}
	spoil := func(key string) {
		t.Helper()
		s.conn.Client.Del(ctx, key)
		if err := s.conn.Client.Set(ctx, key, "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	spoil(hurt.Part.Inbox)
	spoil(hurt.Part.Counts)
	page, err := s.Inbox(ctx, store.InboxQuery{Tenant: "tenant"})
	if !errors.Is(err, store.ErrPartial) || len(page.Items) != 1 || page.Items[0].Thread != good || page.Next != "" {
		t.Errorf("inbox: %+v %v", page, err)
	}
	if n, err := s.CountInbox(ctx, store.InboxCount{Tenant: "tenant", Reasons: []string{""}}); !errors.Is(err, store.ErrPartial) || n.Waiting[""] != 1 {
		t.Errorf("totals: %v %v", n, err)
	}
	if n, err := s.CountTenant(ctx, "tenant"); !errors.Is(err, store.ErrPartial) || n[store.DispatchAcked] != 1 {
		t.Errorf("counts: %v %v", n, err)
	}
	spoil(hurt.Rec())
	if res, err := s.DeleteTree(ctx, testKey, store.DeleteCascade, stage.Deleting("")); err != nil || !res.Deleted {
		t.Errorf("delete: %+v %v", res, err)
	}
	if _, err := s.Begin(ctx, inline(0, "anew")); err != nil {
		t.Errorf("anew: %v", err)
	}
}
