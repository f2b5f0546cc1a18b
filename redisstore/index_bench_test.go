package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// BenchmarkInbox reads pages out of inboxes of two sizes, one beside the other,
// so that what else the machine does slows both. One operation is a first page
// and the page after it, of each; the ratio is that of the medians.
func BenchmarkInbox(b *testing.B) {
	type inbox struct {
		open  int
		store *Store
		took  []time.Duration // a page
	}
	ctx := context.Background()
	var inboxes []*inbox
	for _, open := range []int{1_000, 100_000} {
		s, err := Open(ctx, redistest.Start(b, redistest.Options{}).URL(), &Options{Timeout: patience})
		if err != nil {
			b.Fatal(err)
		}
		defer s.Close()
		suspendMany(b, s, open)
		p, err := s.Inbox(ctx, store.InboxQuery{Tenant: "acme"})
		if err != nil || len(p.Items) != index.PageSize {
			b.Fatal(len(p.Items), err)
		}
		inboxes = append(inboxes, &inbox{open: open, store: s})
	}
	for _, reason := range []string{"", "tool_call"} {
		b.Run("reason="+reason, func(b *testing.B) {
			for b.Loop() {
				for _, in := range inboxes {
					start, cursor := time.Now(), ""
					for range 2 {
						p, err := in.store.Inbox(ctx, store.InboxQuery{Tenant: "acme", Reason: reason, Cursor: cursor})
						if err != nil || len(p.Items) != index.PageSize {
							b.Fatal(len(p.Items), err)
						}
						cursor = p.Next
					}
					in.took = append(in.took, time.Since(start)/2)
				}
			}
			var median []float64
			for _, in := range inboxes {
				slices.Sort(in.took)
				median = append(median, float64(in.took[len(in.took)/2].Microseconds()))
				b.ReportMetric(median[len(median)-1], fmt.Sprintf("us/page-of-%d", in.open))
				in.took = nil
			}
			b.ReportMetric(median[1]/median[0], "ratio")
		})
	}
}

func suspendMany(b *testing.B, s *Store, n int) {
	var group sync.WaitGroup
	threads := make(chan int)
	for range 32 {
		group.Go(func() {
			for i := range threads {
				begin := inline(0, "r1")
				begin.Thread.Thread, begin.Tenant = fmt.Sprint("thread-", i), "acme"
				res, err := s.Begin(context.Background(), begin)
				if err == nil {
					_, err = s.Commit(context.Background(), store.Batch{Claim: res.Claim, Number: 2, Expect: 1, Events: [][]byte{delta},
						End: &store.End{Kind: store.EndSuspend, Interrupts: []string{"int"}, Reasons: []string{"tool_call"},
							Suspension: json.RawMessage(`{"interrupts":[{"id":"int","reason":"tool_call"}]}`)}})
				}
				if err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range n {
		threads <- i
	}
	close(threads)
	group.Wait()
}
