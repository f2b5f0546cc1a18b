package redisstore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
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
		for _, retain := range []int{2, 12, 100, 0} {
			t.Run(fmt.Sprint(name, ", ", retain), func(t *testing.T) {
				var s *Store
				if o := (Options{Retain: retain}); retain == 0 {
					s = openOnMiniredis(t, o)
				} else {
					s = open(t, redistest.Start(t, redistest.Options{}).URL(), o)
				}
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

// Whatever is logged while a repair looks at the log stays, and so does what a repair leaves that dies at one of its
// calls, whether or not the call took effect: the next one does the rest.
func TestCrashPointsOfARepair(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	for name, hook := range map[string]func(call int, commit func()) (redis.Hook, *dying){
		"logged before": func(call int, commit func()) (redis.Hook, *dying) {
			m := &meddling{dying: dying{left: call}, before: commit}
			return m, &m.dying
		},
		"dies before": func(call int, _ func()) (redis.Hook, *dying) { d := &dying{left: call}; return d, d },
		"dies behind": func(call int, _ func()) (redis.Hook, *dying) { d := &dying{left: call, behind: true}; return d, d },
	} {
		calls := 1
		for over := false; !over; calls++ {
			t.Run(fmt.Sprint(name, " call ", calls), func(t *testing.T) {
				o := Options{Prefix: strings.ReplaceAll(fmt.Sprint(name, calls), " ", ""), Partitions: 1, LargeEvent: 100}
				s, far := open(t, server.URL(), o), open(t, server.URL(), o)
				b := store.Batch{Claim: begin(t, s, inline(0, "r1")), Number: 2, Expect: 1}
				logs := func() {
					b.Events = [][]byte{fmt.Append(nil, b.Number)}
					if b.Number%20 == 0 {
						b.Events = append(b.Events, []byte(strings.Repeat("x", 200)))
					}
					commit(t, s, b)
					b.Number, b.Expect = b.Number+1, b.Expect+int64(len(b.Events))
				}
				for range 60 {
					logs()
				}
				if err := s.conn.Client.LSet(t.Context(), s.conn.Keys.Thread(testKey).Log(), 10, "garbage").Err(); err != nil {
					t.Fatal(err)
				}
				at, state := hook(calls, logs)
				far.conn.Client.(*redis.Client).AddHook(at)
				stop := store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("end"), Repair: true}
				_, err := far.StopAll(t.Context(), stop)
				over = state.left > 0
				if (err != nil) != state.died {
					t.Fatal(err)
				}
				if state.died {
					if _, err := s.StopAll(t.Context(), stop); err != nil {
						t.Fatal(err)
					}
				}
				v := view(t, s, store.ReadQuery{})
				v = view(t, s, store.ReadQuery{After: &store.Position{Epoch: v.Epoch, Seq: v.Base - 1}})
				if left, last := len(v.Missed), string(v.Missed[max(len(v.Missed)-2, 0)]); v.Seq != b.Expect+1 || left < 50 || string(v.Missed[left-1]) != "end" || last != fmt.Sprint(b.Number-1) && !strings.HasPrefix(last, "xx") {
					t.Errorf("the log ends with %d events at %d, of which %d are to be, behind %q", left, v.Seq, b.Expect+1, last)
				}
			})
		}
		if calls < 5 {
			t.Errorf("%s: a repair takes %d calls", name, calls-1)
		}
	}
}

// Nobody goes on from a position of before if a repair cannot say where the log was: whatever two things are wrong
// with it and the record, the epoch is another unless all events are there.
func TestARepairOfDoubleDamageBeginsAnEpoch(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	damages := [][]any{
		{"HSET", "rec", "seq", "garbage"}, {"HSET", "rec", "seq", ""}, {"HSET", "rec", "seq", 7},
		{"HSET", "rec", "base", "garbage"}, {"HSET", "rec", "base", 9},
		{"SET", "log", "x"}, {"DEL", "log"}, {"LSET", "log", 4, "garbage"}, {"LSET", "log", -1, "garbage"},
	}
	for i, one := range damages {
		for _, other := range damages[i+1:] {
			t.Run(fmt.Sprint(one, other), func(t *testing.T) {
				s := open(t, server.URL(), Options{Prefix: strings.ReplaceAll(t.Name(), " ", ""), Partitions: 1})
				b := store.Batch{Claim: begin(t, s, inline(0, "r1")), Number: 2, Expect: 1, Events: [][]byte{[]byte("e"), []byte("e")}}
				for ; b.Number <= 20; b.Number, b.Expect = b.Number+1, b.Expect+2 {
					commit(t, s, b)
				}
				before := view(t, s, store.ReadQuery{})
				for _, damage := range [][]any{one, other} {
					command := append([]any{damage[0], s.conn.Keys.Thread(testKey).Base + damage[1].(string)}, damage[2:]...)
					// What is done to a log that is none any more changes nothing.
					_ = s.conn.Client.Do(t.Context(), command...).Err()
				}
				if _, err := s.StopAll(t.Context(), store.StopAll{Thread: testKey, Request: "q", Terminal: []byte("end"), Repair: true}); err != nil {
					t.Fatal(err)
				}
				v := view(t, s, store.ReadQuery{})
				told := view(t, s, store.ReadQuery{After: &store.Position{Epoch: v.Epoch, Seq: v.Base - 1}})
				if v.Epoch == before.Epoch && (v.Seq != before.Seq+1 || v.Base != 1) || int64(len(told.Missed)) != v.Seq-v.Base+1 {
					t.Errorf("the log was %d to %d, and is %d to %d in the same epoch: %v, with %d events", before.Base, before.Seq, v.Base, v.Seq, v.Epoch == before.Epoch, len(told.Missed))
				}
			})
		}
	}
}
