//go:build unix

package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// BenchmarkInbox reads pages of fifty out of few and out of many open
// interrupts: of a tenant that has them all, of one reason among two, and the
// second page. One operation is one page.
//
//	go test ./redisstore -run '^$' -bench 'Inbox$' -benchtime 2s
//
// redis-ns/page is processor time. The promise is that the last lines are at
// most 1.2 times the first.
func BenchmarkInbox(b *testing.B) {
	s, err := Open(context.Background(), redistest.Start(b, redistest.Options{}).URL(), &Options{Follow: time.Millisecond, Timeout: patience})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	for _, total := range []int{1_000, 100_000} {
		tenant := fmt.Sprint("tenant of ", total)
		openMany(b, s, tenant, total)
		first, err := s.Inbox(context.Background(), adapter.PageQuery{Tenant: tenant})
		if err != nil || len(first.Items) != 50 {
			b.Fatalf("%d items, %v", len(first.Items), err)
		}
		for _, q := range []struct {
			name  string
			query adapter.PageQuery
		}{
			{"all", adapter.PageQuery{Tenant: tenant}},
			{"of one reason", adapter.PageQuery{Tenant: tenant, Reason: "tool_call"}},
			{"second page", adapter.PageQuery{Tenant: tenant, Cursor: first.Next}},
		} {
			b.Run(fmt.Sprintf("%s/out of %d", q.name, total), func(b *testing.B) {
				before := redisTime(b, s)
				b.ReportAllocs()
				for b.Loop() {
					page, err := s.Inbox(context.Background(), q.query)
					if err != nil || len(page.Items) != 50 {
						b.Fatalf("%d items, %v", len(page.Items), err)
					}
				}
				b.ReportMetric(float64(redisTime(b, s)-before)/float64(b.N), "redis-ns/page")
			})
		}
	}
}

// openMany suspends runs of a tenant, each on a thread of its own.
func openMany(b *testing.B, s *Store, tenant string, total int) {
	b.Helper()
	ctx := context.Background()
	var left atomic.Int64
	left.Store(int64(total))
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			for i := left.Add(-1); i >= 0 && !b.Failed(); i = left.Add(-1) {
				begin := inline(0, fmt.Sprint(tenant, " run ", i))
				begin.Thread, begin.Tenant = adapter.ThreadKey{Namespace: tenant, Thread: fmt.Sprint(i)}, tenant
				res, err := s.Begin(ctx, begin)
				if err != nil || res.Status != adapter.BeginAccepted {
					b.Errorf("begin: %+v, %v", res, err)
					return
				}
				end := &adapter.End{Kind: adapter.EndSuspend, Suspension: json.RawMessage(`{"interrupts":[]}`), Interrupts: []string{fmt.Sprint("int-", i)},
					Reasons: []string{[]string{"tool_call", "confirmation"}[i%2]}}
				done, err := s.Commit(ctx, adapter.Batch{Claim: res.Claim, Number: 2, Expect: 1, Events: [][]byte{delta}, End: end})
				if err != nil || done.Status != adapter.CommitOK {
					b.Errorf("suspend: %+v, %v", done, err)
				}
			}
		})
	}
	group.Wait()
	if b.Failed() {
		b.FailNow()
	}
}
