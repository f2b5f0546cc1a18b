package redisstore

import (
	"context"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// Whatever is wrong with a log, a run ends once and for all, and behind a repair the thread is read
// and goes on.
func TestARunEndsAboveADamagedLog(t *testing.T) {
	for name, damage := range map[string][]any{
		"the record's beginning is a later one": {"HSET", "rec", "base", 9},
		"an element is none":                    {"LSET", "log", 4, "garbage"},
		"an element says no more than where":    {"LSET", "log", 4, "8,"},
		"an element has less than it says":      {"LSET", "log", 4, "8,2:1:e"},
		"an element is there twice":             {"LSET", "log", 4, "6,2:1:e1:e"},
		"an element is a later one":             {"LSET", "log", 4, "30,2:1:e1:e"},
		"the last element is none":              {"LSET", "log", -1, "garbage"},
	} {
		for _, retain := range []int{2, 12, 100} {
			t.Run(fmt.Sprint(name, ", ", retain), func(t *testing.T) {
				s := open(t, redistest.Start(t, redistest.Options{}).URL(), Options{Retain: retain})
				ctx := context.Background()
				b := store.Batch{Claim: begin(t, s, inline(0, "r1")), Number: 2, Expect: 1, Events: [][]byte{[]byte("e"), []byte("e")}}
				for ; b.Number <= 20; b.Number, b.Expect = b.Number+1, b.Expect+2 {
					commit(t, s, b)
				}
				command := append([]any{damage[0], s.conn.Keys.Thread(testKey).Base + damage[1].(string)}, damage[2:]...)
				if err := s.conn.Client.Do(ctx, command...).Err(); err != nil {
					t.Fatal(err)
				}
				b.End = &store.End{Kind: store.EndFinish, Snapshot: &store.SnapshotUpdate{}}
				if res := commit(t, s, b); res.Status != store.CommitOK {
					t.Fatal(res)
				}
				if run, err := s.conn.Client.HGet(ctx, s.conn.Keys.Thread(testKey).Rec(), "run").Result(); run != "" || err != nil {
					t.Errorf("the run has ended, and the record has it as active: %q, %v", run, err)
				}
				if _, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("e"), Repair: true}); err != nil {
					t.Fatal(err)
				}
				v := view(t, s, store.ReadQuery{})
				v = view(t, s, store.ReadQuery{After: &store.Position{Epoch: v.Epoch, Seq: v.Base - 1}})
				if !v.Recovered || int64(len(v.Missed)) != v.Seq-v.Base+1 || v.Seq < 40 {
					t.Errorf("recovered: %v, %d events from %d to %d", v.Recovered, len(v.Missed), v.Base, v.Seq)
				}
				turn(t, s, 2, "r2", nil)
				if after := view(t, s, store.ReadQuery{}); after.Epoch != v.Epoch || after.Seq != v.Seq+2 || after.Base > after.Seq {
					t.Errorf("the log has %d to %d, and had %d", after.Base, after.Seq, v.Seq)
				}
			})
		}
	}
}
