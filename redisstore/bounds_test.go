package redisstore

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What callers may choose freely costs a bounded room, and the thread stays
// readable whatever they choose.
func TestTimesFarAheadStayReadable(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	begin(t, s, inline(0, "r0"))
	for i, at := range []time.Time{time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Date(200000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		b := queued(view(t, s, store.ReadQuery{}).Version, []string{"r1", "r2"}[i])
		k := b.Kind.(store.Enqueue)
		k.Available = at
		b.Kind = k
		begin(t, s, b)
		d, err := s.Dispatch(ctx, testKey, b.RunID)
		if err != nil || d == nil || d.State != store.DispatchQueued || d.Available.Year() < 3000 {
			t.Fatalf("%v: %+v, %v", at, d, err)
		}
	}
	if v := view(t, s, store.ReadQuery{}); len(v.Queue) != 2 {
		t.Errorf("queue %+v", v.Queue)
	}
}

func TestReasonsAreCut(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	long := strings.Repeat("ä", 1<<20)
	kept := func(run string) {
		t.Helper()
		d, err := s.Dispatch(ctx, testKey, run)
		if err != nil || len(d.Error) > 1024 || !strings.HasPrefix(d.Error, "äää") || strings.ContainsRune(d.Error, '\uFFFD') {
			t.Errorf("%d bytes are kept, %v", len(d.Error), err)
		}
	}
	claim := begin(t, s, inline(0, "r0"))
	if _, err := s.Nack(ctx, store.Nack{Claim: claim, Error: long, Terminal: []byte("failed")}); err != nil {
		t.Fatal(err)
	}
	kept("r0")
	begin(t, s, queued(view(t, s, store.ReadQuery{}).Version, "r1"))
	if _, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: "s", RunID: "r1", Terminal: []byte("stopped"), Reason: long}); err != nil {
		t.Fatal(err)
	}
	kept("r1")
	if _, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "i", Active: "r0", Terminal: []byte("cut"), Reason: long}); err != nil {
		t.Fatal(err)
	}
	kept("r0")
}
