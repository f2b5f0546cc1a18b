package redisstore

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// What the next run keeps takes no other run's place.
func TestRepairGoesOnCountingRuns(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{})
	ctx := context.Background()
	turn(t, s, 1, "r1", nil)
	turn(t, s, 2, "r2", nil)
	want := view(t, s, store.ReadQuery{RunID: "r1"}).Run.Terminal
	if err := s.conn.Client.HSet(ctx, s.conn.Keys.Thread(testKey).Rec(), "n", "x").Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("e"), Repair: true}); err != nil {
		t.Fatal(err)
	}
	begin(t, s, inline(view(t, s, store.ReadQuery{}).Version, "r3"))
	if n, err := s.conn.Client.HGet(ctx, s.conn.Keys.Thread(testKey).Rec(), "n").Int(); err != nil || n < 3 {
		t.Errorf("the third run is the %d.: %v", n, err)
	}
	if got := view(t, s, store.ReadQuery{RunID: "r1"}).Run.Terminal; string(got) != string(want) {
		t.Errorf("the first run has ended with %q, not %q", got, want)
	}
}
