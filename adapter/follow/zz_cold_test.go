package follow

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func BenchmarkCold(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			server := redistest.Start(b, redistest.Options{})
			s, err := redisstore.Open(b.Context(), server.URL(), &redisstore.Options{Partitions: 1, Timeout: time.Minute, Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			defer s.Close()
			key := holdingB(b, s, "t", n)
			server.Do("CONFIG", "RESETSTAT")
			b.ReportAllocs()
			for b.Loop() {
				h := New(s, folded.New(64<<20))
				f := h.Follow(key, func() {})
				a, err := f.Attach(context.Background(), nil)
				if err != nil || len(a.Restatement[2]) < 400*n {
					b.Fatal(err)
				}
				f.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/message")
			text, _ := server.Do("INFO", "commandstats")
			for _, l := range strings.Split(text, "\n") {
				var calls, usec int
				for _, p := range []string{"evalsha", "eval", "hstrlen", "hmget", "fcall"} {
					if k, _ := fmt.Sscanf(l, "cmdstat_"+p+":calls=%d,usec=%d", &calls, &usec); k == 2 {
						b.ReportMetric(float64(usec)*1000/float64(b.N*n), p+"-ns/message")
					}
				}
			}
		})
	}
}

func holdingB(t testing.TB, s *redisstore.Store, thread string, messages int) store.ThreadKey {
	b := store.Begin{Thread: store.ThreadKey{Namespace: "n", Thread: thread}}
	seq, run := int64(0), 0
	for first := 0; first < messages; first += 1000 {
		run++
		b.RunID, b.Label, b.Execution = fmt.Sprint("r", run), fmt.Sprint("l", run), fmt.Sprint("x", run)
		b.Record = json.RawMessage(`{"label":"l","execution":"x","digest":""}`)
		b.Kind = store.Execute{Claimed: store.Claimed{Token: fmt.Sprint("t", run), Events: [][]byte{[]byte(`{"type":"RUN_STARTED","threadId":"t","runId":"l"}`)}}, Fresh: store.Fresh{Frozen: json.RawMessage(`{}`), Agent: "agent"}}
		res, err := s.Begin(context.Background(), b)
		if err != nil || res.Status != store.BeginAccepted {
			t.Fatal(err, res)
		}
		c := res.Claim
		u := &store.SnapshotUpdate{State: json.RawMessage(`{}`), Upsert: map[string]json.RawMessage{}}
		for i := first; i < min(first+1000, messages); i++ {
			id := fmt.Sprintf("3f1c6f0e-5d0a-4b8e-9d64-%012d", i)
			u.Append = append(u.Append, id)
			u.Upsert[id] = json.RawMessage(fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, strings.Repeat("A sentence of usual length. ", 15)[:400]))
		}
		seq++
		if _, err := s.Commit(context.Background(), store.Batch{Claim: c, Number: 2, Expect: seq, Events: [][]byte{[]byte(`{"type":"RUN_FINISHED","threadId":"t","runId":"l"}`)}, End: &store.End{Kind: store.EndFinish, Snapshot: u, Summary: json.RawMessage(`{}`)}}); err != nil {
			t.Fatal(err)
		}
		seq++
		v, err := s.Read(context.Background(), b.Thread, store.ReadQuery{After: &store.Position{}, Window: 1})
		if err != nil || v.Seq != seq {
			t.Fatal(v, err)
		}
		b.Version = v.Version
	}
	return b.Thread
}
