package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// scriptsRun is how many scripts the server has carried out.
func scriptsRun(t *testing.T, server *redistest.Server) int {
	t.Helper()
	text, err := server.Do("INFO", "commandstats")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range regexp.MustCompile(`cmdstat_(?:eval(?:sha)?|fcall):calls=(\d+)`).FindAllStringSubmatch(text, -1) {
		calls, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		n += calls
	}
	return n
}

// holding puts so many messages of 400 bytes into a thread at rest, and returns where
// its log ends.
func holding(t *testing.T, s *Store, thread string, messages int) store.ThreadKey {
	t.Helper()
	letters := rand.New(rand.NewPCG(1, uint64(messages)))
	b := inline(0, "r1")
	b.Thread.Thread = thread
	seq, run := int64(0), 0
	for first := 0; first < messages; first += 2000 {
		run++
		b.RunID, b.Label, b.Execution = fmt.Sprint("r", run), fmt.Sprint("l", run), fmt.Sprint("x", run)
		claimed := b.Claimed()
		claimed.Token = fmt.Sprint("t", run)
		b.Kind = store.Execute{Claimed: *claimed, Fresh: store.Fresh{Frozen: json.RawMessage(`{}`), Agent: "agent"}}
		c := begin(t, s, b)
		u := &store.SnapshotUpdate{State: json.RawMessage(`{}`), Upsert: map[string]json.RawMessage{}}
		for i := first; i < min(first+2000, messages); i++ {
			id := fmt.Sprintf("message-%08d", i)
			text := make([]byte, 0, 400)
			for len(text) < 340 {
				text = append(text, 'a'+byte(letters.IntN(26)))
			}
			u.Append = append(u.Append, id)
			u.Upsert[id] = json.RawMessage(fmt.Sprintf(`{"id":%q,"role":"user","content":%q}`, id, text))
		}
		seq++
		commit(t, s, store.Batch{Claim: c, Number: 2, Expect: seq, Events: [][]byte{delta}, End: &store.End{Kind: store.EndFinish, Snapshot: u}})
		seq++
		v, err := s.Read(context.Background(), b.Thread, store.ReadQuery{After: &store.Position{}, Window: 1})
		if err != nil || v.Seq != seq {
			t.Fatal(v, err)
		}
		b.Version = v.Version
	}
	return b.Thread
}

// A window, a page and what is new cost the same in a thread of 1,000 messages and in one
// of 50,000; and a whole thread is read by scripts of which none reads more than a piece.
// What scripts touch is counted because it does not depend on the machine: a call in a
// script costs below a microsecond, and a KiB of reply about as much, so a piece of
// 1,024 messages and 512 KiB keeps Redis for some 2 ms.
func TestReadsKeepRedisForNoLongerThanAPiece(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Partitions: 1, Timeout: patience})
	ctx := context.Background()
	type cost struct{ scripts, commands, bytes int }
	measure := func(call func()) cost {
		c := cost{scriptsRun(t, server), commands(t, server), sent(t, server)}
		call()
		// What it costs to ask is longer with each command that has been called once.
		bytes := sent(t, server) - c.bytes
		return cost{scriptsRun(t, server) - c.scripts, commands(t, server) - c.commands, bytes}
	}
	costs := map[string]cost{}
	for _, messages := range []int{1000, 50_000} {
		key := holding(t, s, fmt.Sprint(messages), messages)
		if _, err := server.Do("CONFIG", "SET", "slowlog-log-slower-than", "1000"); err != nil {
			t.Fatal(err)
		}
		read := func(q store.ReadQuery) *store.ThreadView {
			t.Helper()
			v, err := s.Read(ctx, key, q)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		window := read(store.ReadQuery{Window: 50})
		for name, call := range map[string]func(){
			"a window": func() {
				if v := read(store.ReadQuery{Window: 50, Follower: true}); len(v.Snapshot.Messages) != 50 || v.Snapshot.Older != int64(messages-50) {
					t.Fatalf("%d messages, %d before them", len(v.Snapshot.Messages), v.Snapshot.Older)
				}
			},
			"a page": func() {
				page, err := s.Messages(ctx, key, store.MessageQuery{Before: window.Snapshot.Before, Limit: 50})
				if err != nil || len(page.Messages) != 50 || page.Older != int64(messages-100) {
					t.Fatalf("%+v %v", page, err)
				}
			},
			"what is new": func() {
				if v := read(store.ReadQuery{Have: &store.Position{Epoch: window.Epoch, Seq: window.Seq}}); !v.Held {
					t.Fatal("not held")
				}
			},
			"missed events": func() {
				if v := read(store.ReadQuery{After: &store.Position{Epoch: window.Epoch, Seq: window.Seq - 1}, Follower: true, Small: true}); !v.Recovered || len(v.Missed) != 1 {
					t.Fatal("not recovered")
				}
			},
		} {
			call()
			c := measure(call)
			t.Logf("%-14s of %6d messages: %d scripts, %d commands, %d bytes", name, messages, c.scripts, c.commands, c.bytes)
			if few, known := costs[name]; known && (c.scripts > few.scripts || c.commands > few.commands+4 || c.bytes > few.bytes+few.bytes/20+200) {
				t.Errorf("%s: %+v of 1,000 messages, %+v of %d", name, few, c, messages)
			}
			costs[name] = c
		}
		begun := time.Now()
		whole := measure(func() {
			if v := read(store.ReadQuery{}); len(v.Snapshot.Messages) != messages || v.Snapshot.Older != 0 {
				t.Fatalf("%d messages", len(v.Snapshot.Messages))
			}
		})
		t.Logf("the whole of %d messages: %d scripts, %d commands, %d bytes, %v", messages, whole.scripts, whole.commands, whole.bytes, time.Since(begun))
		if perScript := whole.commands / whole.scripts; whole.scripts > 1 && perScript > threadlog.PieceMessages+200 || whole.bytes/whole.scripts > threadlog.MessageBytes+(64<<10) {
			t.Errorf("the whole of %d messages takes %+v", messages, whole)
		}
	}
	slow, err := s.conn.Client.(*redis.Client).SlowLogGet(ctx, 128).Result()
	if err != nil {
		t.Fatal(err)
	}
	var longest time.Duration
	for _, l := range slow {
		longest = max(longest, l.Duration)
	}
	t.Logf("%d calls took longer than a millisecond, the longest %v", len(slow), longest)
}
