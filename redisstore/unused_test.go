package redisstore

import (
	"context"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Who attaches to threads at random leaves nothing behind for ever.
func TestUnusedThreadsAreForgotten(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: 1})
	ctx := context.Background()
	rec := s.keys.thread(testKey).rec()
	ttl := func() time.Duration {
		t.Helper()
		d, err := s.client.PTTL(ctx, rec).Result()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	epoch := view(t, s, adapter.ReadQuery{Follower: true}).Epoch
	if d := ttl(); d <= 0 || d > remember {
		t.Errorf("an unused thread that is followed is kept for %v", d)
	}
	n, err := s.client.MemoryUsage(ctx, rec).Result()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("an unused thread's record takes %d bytes", n)
	// While somebody follows it, it stays as it is.
	for name, look := range map[string]func(){
		"tail": func() {
			if _, err := s.Tail(ctx, []adapter.ThreadKey{testKey}); err != nil {
				t.Fatal(err)
			}
		},
		"read": func() { view(t, s, adapter.ReadQuery{Follower: true}) },
	} {
		if err := s.client.PExpire(ctx, rec, time.Minute).Err(); err != nil {
			t.Fatal(err)
		}
		if look(); ttl() <= time.Minute {
			t.Errorf("%s: its record goes in %v", name, ttl())
		}
	}
	claim := begin(t, s, inline(0, "r1"))
	if d := ttl(); d >= 0 || view(t, s, adapter.ReadQuery{}).Epoch != epoch {
		t.Errorf("a used thread goes in %v", d)
	}
	commit(t, s, adapter.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("end")}, End: &adapter.End{Kind: adapter.EndFinish}})
	if _, err := s.Tail(ctx, []adapter.ThreadKey{testKey}); err != nil || ttl() >= 0 {
		t.Errorf("a used thread goes in %v (%v)", ttl(), err)
	}
}
