package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// BenchmarkSuspendedRuns lets a runner carry runs until they ask, and weighs
// them when all wait. One operation is one run on a thread of its own.
//
//	go test ./redisstore -run '^$' -bench 'SuspendedRuns$' -benchtime 100000x -timeout 30m
//
// redis-B/run is what Redis has allocated for one, its keys' places in the main
// table included; payload-B/run is what of it the client and the agent gave,
// as the store got it: input, events, records, suspension, messages, state and
// terminal event; beyond-B/run is the rest, ids among it. heap-B/run and
// goroutines are what this process keeps.
func BenchmarkSuspendedRuns(b *testing.B) {
	server := redistest.Start(b, redistest.Options{})
	s, err := Open(context.Background(), server.URL(), &Options{Follow: time.Millisecond, Timeout: patience})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	scale := &scale{Store: s, done: make(chan struct{}, 1024)}
	runs, err := runner.New(scale, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(payer)}, StoreTimeout: patience})
	if err != nil {
		b.Fatal(err)
	}
	defer runs.Shutdown(context.Background())
	suspend := func(i int) {
		key := suspendedKey(i)
		in := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: fmt.Sprintf("7c61d2aa-93b1-4b0e-a7f4-%012d", i),
			Messages: protocol.Messages{{ID: fmt.Sprintf("b2f0e1d4-0c6b-4f57-8f19-%012d", i), Role: protocol.RoleUser, Content: protocol.Text("Please pay the invoice of March.")}}}
		a, err := runs.Submit(context.Background(), admission.Input{Namespace: key.Namespace, Run: in})
		if err != nil || a.Disposition != admission.Started {
			b.Errorf("%s %+v %v", a.Disposition, a.Refusal, err)
		}
	}
	suspend(-1)
	<-scale.done
	heap, goroutines := weighProcess()
	before := redisMemory(b, s)
	scale.payload.Store(0)
	b.ResetTimer()
	var left atomic.Int64
	left.Store(int64(b.N))
	var group sync.WaitGroup
	for range 32 {
		group.Go(func() {
			for i := left.Add(-1); i >= 0 && !b.Failed(); i = left.Add(-1) {
				suspend(int(i))
				<-scale.done // of this run or another: so many at once
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	forgetFollowers(b, s)
	each := func(n int64) float64 { return float64(n) / float64(b.N) }
	redisBytes, payload := redisMemory(b, s)-before, scale.payload.Load()
	b.ReportMetric(each(redisBytes), "redis-B/run")
	b.ReportMetric(each(payload), "payload-B/run")
	b.ReportMetric(each(redisBytes-payload), "beyond-B/run")
	b.Log(breakdown(b, s, suspendedKey(b.N-1)))
	heapAfter, goroutinesAfter := weighProcess()
	b.ReportMetric(each(heapAfter-heap), "heap-B/run")
	b.ReportMetric(float64(goroutinesAfter-goroutines), "goroutines")
}

func suspendedKey(i int) store.ThreadKey {
	return store.ThreadKey{Namespace: "tenant/user", Thread: fmt.Sprintf("1f0a9c3e-5d0a-4b8e-9d64-%012d", i)}
}

// breakdown is what one thread's keys weigh, without their places in the main
// table.
func breakdown(b *testing.B, s *Store, key store.ThreadKey) string {
	b.Helper()
	ctx, base := context.Background(), s.conn.Keys.Thread(key).Base
	keys, err := s.conn.Client.Keys(ctx, strings.NewReplacer("[", "\\[", "]", "\\]", "*", "\\*", "?", "\\?").Replace(base)+"*").Result()
	if err != nil {
		b.Fatal(err)
	}
	slices.Sort(keys)
	text := "one thread:"
	for _, k := range keys {
		n, err := s.conn.Client.MemoryUsage(ctx, k).Result()
		if err != nil {
			b.Fatal(err)
		}
		encoding, err := s.conn.Client.ObjectEncoding(ctx, k).Result()
		if err != nil {
			b.Fatal(err)
		}
		text += fmt.Sprintf(" %s %d (%s)", strings.TrimPrefix(k, base), n, encoding)
	}
	return text
}

// payer says a few words and asks whether it may go on.
func payer(ctx context.Context, run *adapter.Run) error {
	if err := run.Say("I have found the invoice: 120 EUR to ACME, due on Friday."); err != nil {
		return err
	}
	_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "Pay 120 EUR to ACME?"})
	return err
}

// scale weighs what a run's callers give to the store.
type scale struct {
	store.Store
	payload atomic.Int64
	done    chan struct{} // a run has suspended
}

func (s *scale) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.weigh(b.Record, []byte(b.Title))
	switch k := b.Kind.(type) {
	case store.Enqueue:
		s.weigh(k.Input)
	case store.Execute:
		s.weigh(append([][]byte{k.Frozen}, k.Events...)...)
	}
	return s.Store.Begin(ctx, b)
}

func (s *scale) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	s.weigh(b.Events...)
	for _, r := range b.Entries {
		s.weigh(r)
	}
	if e := b.End; e != nil {
		s.weigh(e.Suspension, b.Events[len(b.Events)-1]) // the run keeps its terminal event
		if up := e.Snapshot; up != nil {
			s.weigh(up.State)
			for _, m := range up.Upsert {
				s.weigh(json.RawMessage(m))
			}
		}
	}
	res, err := s.Store.Commit(ctx, b)
	if b.End != nil {
		s.done <- struct{}{}
	}
	return res, err
}

func (s *scale) weigh(parts ...[]byte) {
	for _, p := range parts {
		s.payload.Add(int64(len(p)))
	}
}

// forgetFollowers waits until Redis has freed what says who followed: it frees
// what has expired a few keys at a time. All else of a suspended thread stays.
func forgetFollowers(b *testing.B, s *Store) {
	b.Helper()
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Millisecond) {
		text, err := s.conn.Client.Info(context.Background(), "keyspace").Result()
		if err != nil {
			b.Fatal(err)
		}
		if !strings.Contains(text, "expires=") || strings.Contains(text, "expires=0,") {
			return
		}
		if time.Now().After(deadline) {
			b.Fatalf("it never came true that nothing expires: %s", text)
		}
	}
}

// redisMemory is what the server has allocated.
func redisMemory(b *testing.B, s *Store) int64 {
	b.Helper()
	text, err := s.conn.Client.Info(context.Background(), "memory").Result()
	if err != nil {
		b.Fatal(err)
	}
	n, err := strconv.ParseInt(link.ParseInfo(text)["used_memory"], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// weighProcess is what this process holds on to.
func weighProcess() (heap, goroutines int64) {
	var m runtime.MemStats
	for range 2 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc), int64(runtime.NumGoroutine())
}
