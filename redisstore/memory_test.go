package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// TestASuspendedRunCostsLittleBeyondItsPayload holds the promise that waiting
// for a human is cheap: at most 2.7 kB of Redis for one, once nobody follows it.
func TestASuspendedRunCostsLittleBeyondItsPayload(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	const threads, limit = 5000, 2700
	server := redistest.Start(t, redistest.Options{})
	// One partition, as the indexes of few threads are packed more densely.
	s := open(t, server.URL(), Options{Follow: time.Millisecond, Partitions: 1})
	ctx := context.Background()
	id := func(kind string, i int) string { return fmt.Sprintf("%s-0123456789-0123456789-%08d", kind, i) }
	suspend := func(i int) (payload int) {
		b := inline(0, id("run", i))
		b.Thread.Thread, b.Label, b.Execution = id("thread", i), id("label", i), id("exe", i)
		b.Tenant, b.Title = "tenant-of-usual-length", "The first words of what the user has asked for, cut"
		k := store.Execute{Claimed: store.Claimed{Token: id("token", i), Events: b.Claimed().Events},
			Fresh: store.Fresh{Frozen: json.RawMessage(`{"messages":[]}`), Agent: "agent"}}
		b.Kind = k
		res, err := s.Begin(ctx, b)
		if err != nil {
			t.Fatal(err)
		}
		end := store.Batch{Claim: res.Claim, Number: 2, Expect: 1, Events: [][]byte{delta}, Entries: []json.RawMessage{json.RawMessage(`{"asked":1}`)},
			End: &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage(`{"interrupts":[]}`), Interrupts: []string{id("int", i)}, ToolCalls: []string{id("call", i)}, Reasons: []string{"tool_call"}}}
		if _, err := s.Commit(ctx, end); err != nil {
			t.Fatal(err)
		}
		payload = len(b.Record) + len(b.Tenant) + len(b.Title) + len(k.Frozen) + len(end.End.Suspension)
		for _, e := range append(k.Events, end.Events...) {
			payload += len(e)
		}
		return payload + len(end.Entries[0]) + len(delta) // the terminal event is kept with its run
	}
	used := func() int {
		n, err := s.conn.Client.Eval(ctx, `return string.match(redis.call('INFO', 'memory'), 'used_memory_dataset:(%d+)')`, nil).Text()
		if err != nil {
			t.Fatal(err)
		}
		bytes, err := strconv.Atoi(n)
		if err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	// Redis frees what has expired a few keys at a time; all else of a suspended
	// thread stays.
	followed := func() bool {
		n, err := s.conn.Client.Eval(ctx, `return string.match(redis.call('INFO', 'keyspace'), 'expires=(%d+)') or '0'`, nil).Text()
		if err != nil {
			t.Fatal(err)
		}
		return n != "0"
	}
	suspend(0)
	before := used()
	payload := 0
	for i := range threads {
		payload += suspend(i + 1)
	}
	await(t, "nobody follows", func() bool { return !followed() })
	// Notices are kept by number and age, however many runs are suspended.
	for _, p := range s.conn.Keys.Parts {
		if err := s.conn.Client.Del(ctx, p.Notices).Err(); err != nil {
			t.Fatal(err)
		}
	}
	// What the server needed in passing it gives back in passing.
	beyond := 0
	await(t, fmt.Sprintf("at most %d bytes are needed beyond the payload", limit), func() bool {
		if now := (used()-before-payload)/threads + 1; now != beyond {
			beyond = now
			t.Logf("%d bytes beyond %d of payload", beyond, payload/threads)
		}
		return beyond <= limit
	})
}
