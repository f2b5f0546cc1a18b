package redisstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A list of runs stays for as long as the latest run on it counts, though not each input says so.
func TestListsOfRunsStay(t *testing.T) {
	now := time.Now()
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Timeout: patience, Clock: func() time.Time { return now }})
	ctx, owner := context.Background(), store.Owner{Name: "ann"}
	list := s.conn.Keys.Owner(keyspace.OwnerID(owner)).Runs
	take := func(run string) {
		t.Helper()
		taken, err := s.Take(ctx, store.Take{User: owner, RunID: run, Runs: 5, TenantRuns: -1, Threads: -1, Inputs: -1})
		if err != nil || taken.Over != store.OverNothing {
			t.Fatal(taken, err)
		}
		if left := s.conn.Client.PTTL(ctx, list).Val(); left < store.HoldFor-time.Minute {
			t.Errorf("%s counts for %v, and the list stays for %v", run, store.HoldFor, left)
		}
	}
	// passes lets so much time pass, for the server too.
	passes := func(d time.Duration) {
		t.Helper()
		now = now.Add(d)
		if left := s.conn.Client.PTTL(ctx, list).Val(); !s.conn.Client.PExpire(ctx, list, left-d).Val() {
			t.Fatal("there is no list")
		}
	}
	take("r0")
	for n := range 4 { // of which each overlaps with the one before, and none is kept
		passes(store.HoldFor * 4 / 5)
		take(fmt.Sprint("r", n+1))
		if err := s.Give(ctx, []store.Holding{{User: owner, RunID: fmt.Sprint("r", n)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Give(ctx, []store.Holding{{User: owner, RunID: "r4"}}); err != nil {
		t.Fatal(err)
	}
	take("r5") // on a list that begins
	if err := s.Keep(ctx, []store.Holding{{User: owner, RunID: "r5"}}); err != nil {
		t.Fatal(err)
	}
	passes(store.HoldFor * 4 / 5)
	take("r6")
}

// Without a limit a list of runs keeps no more of those that have lapsed than a few.
func TestLapsedRunsAreStruckOutWithoutALimit(t *testing.T) {
	now := time.Now()
	s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Timeout: patience, Clock: func() time.Time { return now }})
	ctx, owner := context.Background(), store.Owner{Name: "ann"}
	list := s.conn.Keys.Owner(keyspace.OwnerID(owner)).Runs
	for n := range 64 {
		if n == 63 {
			now = now.Add(store.HoldFor + time.Second)
		}
		if taken, err := s.Take(ctx, store.Take{User: owner, RunID: fmt.Sprint("r", n), Runs: -1, TenantRuns: -1, Threads: -1, Inputs: -1}); err != nil || taken.Over != store.OverNothing {
			t.Fatal(taken, err)
		}
	}
	if n := s.conn.Client.ZCard(ctx, list).Val(); n != 1 {
		t.Errorf("%d runs are on the list, and one counts", n)
	}
}
