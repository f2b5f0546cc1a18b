package redisstore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var delta = []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"3f1c6f0e-5d0a-4b8e-9d64-0d6e5b7a9c11","delta":"a word or two "}`)

// BenchmarkCommit commits from many runs at once, as fast as each run is
// answered. One operation is one event.
func BenchmarkCommit(b *testing.B) {
	for _, aof := range []string{"", "everysec", "always"} {
		for _, window := range []int{1, 16} {
			b.Run(fmt.Sprintf("aof=%s/window=%d", cmp.Or(aof, "off"), window), func(b *testing.B) {
				benchmarkCommit(b, redistest.Options{AOF: aof}, 100, window)
			})
		}
	}
}

func benchmarkCommit(b *testing.B, o redistest.Options, runs, window int) {
	s, err := Open(context.Background(), redistest.Start(b, o).URL(), nil)
	if err != nil {
		b.Fatal(err)
	}
	commitOn(b, s, runs, window)
}

// BenchmarkCommitEmbedded is the same without a server.
func BenchmarkCommitEmbedded(b *testing.B) {
	s, err := Embedded(nil)
	if err != nil {
		b.Fatal(err)
	}
	commitOn(b, s, 100, 16)
}

func commitOn(b *testing.B, s *Store, runs, window int) {
	defer s.Close()
	ctx := context.Background()
	events := make([][]byte, window)
	for i := range events {
		events[i] = delta
	}
	claims := make([]store.Claim, runs)
	for i := range claims {
		begin := inline(0, "r1")
		begin.Thread.Thread = fmt.Sprint(i)
		res, err := s.Begin(ctx, begin)
		if err != nil {
			b.Fatal(err)
		}
		claims[i] = res.Claim
	}
	var left atomic.Int64
	left.Store(int64(b.N))
	b.ReportAllocs()
	b.ResetTimer()
	var group sync.WaitGroup
	for _, c := range claims {
		group.Go(func() {
			end, number := int64(1), int64(2)
			for left.Add(-int64(window)) > -int64(window) {
				res, err := s.Commit(ctx, store.Batch{Claim: c, Number: number, Expect: end, Events: events})
				if err != nil || res.Status != store.CommitOK {
					b.Errorf("%+v, %v", res, err)
					return
				}
				end, number = res.End.Seq, number+1
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkCommitAlone is one run's round trip.
func BenchmarkCommitAlone(b *testing.B) { benchmarkCommit(b, redistest.Options{}, 1, 1) }

func BenchmarkRead(b *testing.B) {
	s, err := Open(context.Background(), redistest.Start(b, redistest.Options{}).URL(), nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	ctx := context.Background()
	res, err := s.Begin(ctx, inline(0, "r1"))
	if err != nil {
		b.Fatal(err)
	}
	up := &store.SnapshotUpdate{Order: []string{}, Upsert: map[string]json.RawMessage{}}
	for i := range 100 {
		id := fmt.Sprint("message-", i)
		up.Order = append(up.Order, id)
		up.Upsert[id] = json.RawMessage(`{"id":"` + id + `","role":"user","content":"a sentence of usual length, nothing special"}`)
	}
	if _, err := s.Commit(ctx, store.Batch{Claim: res.Claim, Number: 2, Expect: 1, Events: [][]byte{delta}, End: &store.End{Kind: store.EndFinish, Snapshot: up}}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		v, err := s.Read(ctx, testKey, store.ReadQuery{Follower: true})
		if err != nil || len(v.Snapshot.Messages) != 100 {
			b.Fatal(err)
		}
	}
}
