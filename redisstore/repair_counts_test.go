package redisstore

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A run that was given back waits, and is counted as one that waits.
func TestRepairOfARunThatWasGivenBackKeepsTheCounts(t *testing.T) {
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{})
	ctx := context.Background()
	claim := begin(t, s, inline(0, "r1"))
	if _, err := s.Nack(ctx, store.Nack{Claim: claim, Terminal: []byte("t"), Free: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.CountDispatches(ctx); err != nil {
		t.Fatal(err)
	}
	s.conn.Client.HSet(ctx, s.conn.Keys.Thread(testKey).Base+"runs", "m:r1", "x")
	if _, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("e"), Repair: true}); err != nil {
		t.Fatal(err)
	}
	after, err := s.CountDispatches(ctx)
	if err != nil || len(after) != 0 {
		t.Errorf("%v, %v", after, err)
	}
}
