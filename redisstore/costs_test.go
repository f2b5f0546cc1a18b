package redisstore

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/mailbox"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// received is how many bytes the server has got.
func received(t *testing.T, server *redistest.Server) int {
	t.Helper()
	text, err := server.Do("INFO", "stats")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(regexp.MustCompile(`total_net_input_bytes:(\d+)`).FindStringSubmatch(text)[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestCosts holds what a run is made of to the commands that Redis carries out for it,
// those in scripts and two of measuring among them, and to the bytes that it is sent. The
// limits have a little room.
func TestCosts(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Lease: time.Hour, Timeout: patience})
	var claim store.Claim
	var number, seq int64
	begins := func(b store.Begin) {
		t.Helper()
		b.Version, b.Tenant, b.User, b.Title = view(t, s, store.ReadQuery{Follower: true, Label: b.Label}).Version, "tenant", "user", "title"
		claim = begin(t, s, b)
		number, seq = 1, seq+1
	}
	commits := func(events int, end *store.End, entries ...string) {
		t.Helper()
		number++
		b := store.Batch{Claim: claim, Number: number, Expect: seq, End: end}
		for range events {
			b.Events = append(b.Events, delta)
		}
		for _, e := range entries {
			b.Entries = append(b.Entries, json.RawMessage(e))
		}
		if end == nil {
			b.Closing = json.RawMessage(`["closing"]`)
		}
		if res := commit(t, s, b); res.Status != store.CommitOK {
			t.Fatalf("%+v", res)
		}
		seq += int64(events)
	}
	message := func(id string) *store.SnapshotUpdate {
		return &store.SnapshotUpdate{Upsert: map[string]json.RawMessage{id: json.RawMessage(`{"id":"` + id + `"}`)}}
	}
	finish := &store.End{Kind: store.EndFinish}

	for _, c := range []struct {
		name            string
		commands, bytes int
		call            func()
	}{
		{"a run begins on a new thread", 22, 2850, func() { begins(inline(0, "r1")) }},
		{"a batch of an event", 9, 700, func() { commits(1, nil) }},
		{"a batch of 16 events", 9, 2500, func() { commits(16, nil) }},
		{"a run ends", 16, 1600, func() { commits(1, finish) }},
		{"a turn of a thread in use", 38, 4300, func() { begins(inline(0, "r2")); commits(1, finish) }},
		{"an approval", 105, 10_900, func() {
			b := inline(0, "r3")
			b.Execution = "x"
			begins(b)
			commits(4, nil)
			commits(1, &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}, ToolCalls: []string{"call"},
				Reasons: []string{"tool_call"}, Snapshot: message("m1")}, `{"kind":"ask"}`)
			begins(answering(0, "r4", "x"))
			commits(0, nil, `{"kind":"start"}`)
			commits(2, nil, `{"kind":"step"}`)
			commits(1, &store.End{Kind: store.EndFinish, Snapshot: message("m2")})
		}},
	} {
		count, bytes := commands(t, server), received(t, server)
		c.call()
		count, bytes = commands(t, server)-count, received(t, server)-bytes
		t.Logf("%-32s %3d commands, %5d bytes", c.name, count, bytes)
		if count > c.commands || bytes > c.bytes {
			t.Errorf("%s: %d commands and %d bytes, %d and %d are promised", c.name, count, bytes, c.commands, c.bytes)
		}
	}
}

// TestBatchesThatTravelTogether holds what one more batch in a script costs.
func TestBatchesThatTravelTogether(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Lease: time.Hour, Timeout: patience})
	cost := func(n int, first string) int {
		var taken []store.Batch
		for i := range n {
			b := inline(0, "r1")
			b.Thread.Thread = fmt.Sprint(first, i)
			res, err := s.Begin(context.Background(), b)
			if err != nil {
				t.Fatal(err)
			}
			taken = append(taken, store.Batch{Claim: res.Claim, Number: 2, Expect: 1, Events: [][]byte{delta, delta}})
		}
		before := commands(t, server)
		results, errs := s.commits.Together(taken)
		for i, res := range results {
			if errs[i] != nil || res.Status != store.CommitOK {
				t.Fatalf("%+v %v", res, errs[i])
			}
		}
		return commands(t, server) - before
	}
	one, many := cost(1, "one"), cost(link.ScriptRuns, "many")
	if each := float64(many-one) / (link.ScriptRuns - 1); each > 3.3 {
		t.Errorf("one batch takes %d commands, %d of as many partitions as there are take %d: %.1f each", one, link.ScriptRuns, many, each)
	}
}

// TestCostsOfLookingForWork holds what a node asks each second where nothing happens.
func TestCostsOfLookingForWork(t *testing.T) {
	const calls = 3 * mailbox.CountEvery
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Timeout: patience})
	q := store.WorkQuery{Agents: []string{""}, Limit: 10}
	cost := func() int {
		t.Helper()
		before := commands(t, server)
		for range calls {
			if work, err := s.Work(t.Context(), q); err != nil || len(work) > 0 {
				t.Fatal(work, err)
			}
		}
		return (commands(t, server) - before) / calls
	}
	cost() // which looks for consumers that are gone
	if n := cost(); n > 265 {
		t.Errorf("looking for work takes %d commands", n)
	}
	w := waiting(t, server, s)
	if n := cost(); n > 180 {
		t.Errorf("looking for work while it is awaited takes %d commands", n)
	}
	w.cancel()
	if got := <-w.ended; got.err != nil {
		t.Error(got.err)
	}
}
