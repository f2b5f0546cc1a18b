package redisstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest"
	"github.com/alicebob/miniredis/v2"
)

// Threads that stay due, because every claim of them fails, hide no others of
// their partition, however many they are.
func TestDueHidesNothing(t *testing.T) {
	const threads = 40
	server := miniredis.NewMiniRedis()
	t.Cleanup(server.Close)
	for name, open := range map[string]func(o *Options) (*Store, error){
		"miniredis": func(o *Options) (*Store, error) {
			o.volatile, o.singly, o.HistoryID = true, true, "miniredis"
			client := miniredisClient(server)
			t.Cleanup(func() { _ = client.Close() })
			return New(context.Background(), client, o)
		},
		"redis": func(o *Options) (*Store, error) {
			return Open(context.Background(), redistest.Start(t, redistest.Options{}).URL(), o)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := nodeOptions(storetest.Node{Space: "due", ID: "a", Lease: time.Millisecond})
			o.Partitions = 1
			s, err := open(o)
			if err != nil {
				t.Fatal(err)
			}
			closing(t, s)
			for i := range threads {
				b := store.Begin{
					Thread: store.ThreadKey{Namespace: "n", Thread: fmt.Sprint(i)}, RunID: "r", Label: "l", Execution: "x",
					Record: []byte(`{}`),
				}
				if i%2 == 0 {
					b.Kind = store.Enqueue{Input: []byte(`{}`), Cancelled: [2][]byte{[]byte("a"), []byte("b")}}
				} else {
					b.Kind = store.Execute{Claimed: claimedAs("r"), Fresh: store.Fresh{Frozen: []byte(`{}`)}}
				}
				if got, err := s.Begin(t.Context(), b); err != nil || got.Status != store.BeginAccepted {
					t.Fatal(got, err)
				}
			}
			for _, limit := range []int{1, 4, 7} {
				seen := map[string]bool{}
				// A call misses a thread with a probability of 79 in 80 at most.
				for n := 0; n < 5000 && len(seen) < threads; n++ {
					due, err := s.Due(t.Context(), limit)
					if err != nil || len(due) > limit {
						t.Fatal(due, err)
					}
					for _, key := range due {
						seen[key.Thread] = true
					}
				}
				if len(seen) < threads {
					t.Errorf("limit %d: %d of %d threads were seen", limit, len(seen), threads)
				}
			}
		})
	}
}
