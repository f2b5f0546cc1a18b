package redisstore

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// turn lets a run end that changes the snapshot.
func turn(t *testing.T, s *Store, n int64, run string, u *store.SnapshotUpdate) {
	t.Helper()
	ctx := context.Background()
	v, err := s.Read(ctx, testKey, store.ReadQuery{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Begin(ctx, inline(v.Version, run))
	if err != nil || res.Status != store.BeginAccepted {
		t.Fatal(res, err)
	}
	b := store.Batch{Claim: res.Claim, Number: 2, Expect: res.Position.Seq + 1, Events: [][]byte{[]byte("end")}, End: &store.End{Kind: store.EndFinish, Snapshot: u}}
	if res, err := s.Commit(ctx, b); err != nil || res.Status != store.CommitOK {
		t.Fatal(n, res, err)
	}
}
