package redisstore

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What a release has listed that knew no inbox of a namespace is found there when its
// threads were gone through, once.
func TestInboxOfAnOlderRelease(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 4})
	ctx := context.Background()
	const threads = 700 // more than a call looks at
	for i := range threads {
		b := inline(0, "r1")
		b.Thread.Thread, b.Tenant = fmt.Sprint("t", i), "acme"
		commit(t, s, asks(begin(t, s, b), 1))
	}
	for i := range s.keys.parts {
		p := &s.keys.parts[i]
		for _, m := range s.client.ZRange(ctx, p.inbox, 0, -1).Val() {
			if m[:digestSize] != digest("acme") {
				s.client.ZRem(ctx, p.inbox, m)
			}
		}
	}
	// One was answered, and one cannot be read.
	gone := s.keys.thread(store.ThreadKey{Namespace: testKey.Namespace, Thread: "t0"})
	s.client.Del(ctx, gone.journal())
	broken := s.keys.thread(store.ThreadKey{Namespace: testKey.Namespace, Thread: "t1"})
	s.client.LSet(ctx, broken.journal(), 0, "x")
	s.client.HDel(ctx, metaKey(s.opts.Prefix), relistField)

	next := open(t, server.URL(), Options{Partitions: 4})
	count := func() int64 {
		t.Helper()
		counts, err := next.CountInbox(ctx, store.InboxCount{Namespace: testKey.Namespace, Reasons: []string{""}})
		if err != nil {
			t.Fatal(err)
		}
		return counts[""]
	}
	if n := count(); n != 0 {
		t.Fatalf("%d are listed before", n)
	}
	calls := 0
	for more := true; more; calls++ {
		var err error
		if more, err = next.relist(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := count(); n != threads-2 || calls < 3 {
		t.Errorf("%d are listed after %d calls", n, calls)
	}
	if known := s.client.HGet(ctx, metaKey(s.opts.Prefix), relistField).Val(); known != relistByPlace {
		t.Errorf("it is noted as %q", known)
	}
	took := math.Inf(1)
	for range 5 { // a ping falls into some
		before := numbers(t, s)
		if more, err := next.relist(ctx); more || err != nil {
			t.Error(more, err)
		}
		took = min(took, numbers(t, s)["total_commands_processed"]-before["total_commands_processed"])
	}
	if took > 1 {
		t.Errorf("it is looked for again: %v commands", took)
	}
}
