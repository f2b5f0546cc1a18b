//go:build unix

package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// A fail-over to a replica that had not been told of what the master had
// acknowledged: positions are given out a second time, to other events. Nobody
// who holds the first ones is told that nothing is missing, and their writer is
// told that the store is behind it.
func TestAFailoverThatForgetsIsNotTakenForRecovery(t *testing.T) {
	if testing.Short() {
		t.Skip("a fail-over takes seconds; -short leaves it out")
	}
	// What fits into the buffers of the link arrives even if the master is dead.
	const linkHolds = 32 << 20
	pair := redistest.Sentinel(t)
	s := open(t, pair.URL(), Options{Lease: 50 * time.Millisecond})
	ctx := context.Background()
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("kept-2")}, Entries: []json.RawMessage{json.RawMessage("1")}})
	replicated(t, pair)
	held := []store.Position{{Epoch: view(t, s, store.ReadQuery{}).Epoch, Seq: 2}}

	pair.Replica.Freeze()
	ordered(t, pair.Master, "SET", "filler", strings.Repeat("x", linkHolds))
	for seq := int64(2); seq < 5; seq++ {
		res := commit(t, s, store.Batch{Claim: claim, Number: seq + 1, Expect: seq, Events: [][]byte{[]byte("forgotten")}})
		if res.Status != store.CommitOK {
			t.Fatalf("commit: %+v", res)
		}
		held = append(held, res.End)
	}
	pair.Master.Kill()
	pair.Replica.Thaw()

	deadline := time.Now().Add(failoverLimit)
	persist := func(call func() error) {
		t.Helper()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for err := call(); err != nil; err = call() {
			if !errors.Is(err, store.ErrOutcomeUnknown) || time.Now().After(deadline) {
				t.Fatal(err)
			}
			<-tick.C
		}
	}
	persist(func() error {
		res, err := s.Commit(ctx, store.Batch{Claim: claim, Number: 6, Expect: 5, Events: [][]byte{[]byte("late")}})
		if err == nil && res.Status != store.CommitAhead {
			t.Errorf("the writer of what was forgotten is told %+v", res)
		}
		return err
	})
	var taken store.ClaimResult
	persist(func() error {
		for {
			var err error
			if taken, err = s.Claim(ctx, store.ClaimRequest{Thread: testKey, Token: "again"}); err != nil || taken.Kind == store.ClaimTakeover {
				return err
			}
		}
	})
	for seq := int64(2); seq < 6; seq++ {
		persist(func() error {
			res, err := s.Commit(ctx, store.Batch{Claim: taken.Claim, Number: seq - 1, Expect: seq, Events: [][]byte{[]byte("other")}})
			if err == nil && (res.Status != store.CommitOK || res.End.Seq != seq+1) {
				t.Fatalf("commit: %+v", res)
			}
			return err
		})
		for _, after := range held {
			var v *store.ThreadView
			persist(func() (err error) { v, err = s.Read(ctx, testKey, store.ReadQuery{After: &after}); return err })
			if v.Recovered || v.Epoch == after.Epoch {
				t.Errorf("who holds %v is told that it is recovered, with %q", after, v.Missed)
			}
			if r, err := s.Range(ctx, testKey, after.Epoch, after.Seq, 1); err != nil || r.Status != store.RangeEpoch {
				t.Errorf("range from %v: %+v, %v", after, r, err)
			}
		}
	}
}
