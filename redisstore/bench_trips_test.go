package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

// trips counts what goes over the wire: round trips, and the commands in them.
// A new connection's greeting is none.
type trips struct {
	mu       sync.Mutex
	trips    int
	commands []string
}

func (n *trips) count(cmds ...redis.Cmder) {
	if strings.EqualFold(cmds[0].Name(), "hello") {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.trips++
	for _, cmd := range cmds {
		n.commands = append(n.commands, strings.ToLower(cmd.Name()))
	}
}

// during returns what f costs: its round trips, its scripts, and its other
// commands.
func (n *trips) during(f func()) (trips, scripts int, others []string) {
	n.mu.Lock()
	n.trips, n.commands = 0, nil
	n.mu.Unlock()
	f()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.commands {
		if c == "evalsha" || c == "fcall" {
			scripts++
		} else {
			others = append(others, c)
		}
	}
	return n.trips, scripts, others
}

func (n *trips) DialHook(next redis.DialHook) redis.DialHook { return next }

func (n *trips) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		n.count(cmd)
		return next(ctx, cmd)
	}
}

func (n *trips) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		n.count(cmds...)
		return next(ctx, cmds)
	}
}

// onCounted opens a store whose commands are counted.
func onCounted(t testing.TB, url string, o Options) (*Store, *trips) {
	t.Helper()
	client, err := link.Connect(url, patience)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	n := &trips{}
	client.(*redis.Client).AddHook(n)
	s, err := New(context.Background(), client, &o)
	if err != nil {
		t.Fatal(err)
	}
	s.renewing.(*redis.Client).AddHook(n)
	scripted(s)
	return closing(t, s), n
}

// TestRoundTrips holds each call of the store to what it may cost: one script,
// which is one decision, and nothing beside it. Calls on many threads are one
// round trip, with a script for each partition.
func TestRoundTrips(t *testing.T) {
	const partitions = 8
	s, wire := onCounted(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: partitions, Lease: time.Hour, Timeout: patience})
	ctx := context.Background()
	var claim store.Claim
	var version int64
	ok := func(what string, good bool, err error) {
		t.Helper()
		if err != nil || !good {
			t.Fatalf("%s: %t %v", what, good, err)
		}
	}
	begins := func(b store.Begin) func() {
		return func() {
			res, err := s.Begin(ctx, b)
			ok("begin", res.Status == store.BeginAccepted, err)
			claim = res.Claim
		}
	}
	var number int64
	committing := func(end *store.End, entries int) func() {
		return func() {
			v := view(t, s, store.ReadQuery{}) // one script of its own
			number++
			b := store.Batch{Claim: claim, Number: number, Expect: v.Seq, Events: [][]byte{delta, delta}, End: end}
			for range entries {
				b.Entries = append(b.Entries, json.RawMessage("1"))
			}
			res, err := s.Commit(ctx, b)
			ok("commit", res.Status == store.CommitOK, err)
		}
	}
	queued := inline(0, "r3")
	queued.Kind = store.Enqueue{Input: json.RawMessage("{}"), Cancelled: [2][]byte{delta, delta}}
	suspend := &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}, Deadline: time.Now().Add(time.Hour).UnixMilli(),
		Snapshot: &store.SnapshotUpdate{State: json.RawMessage("{}"), Order: []string{"m"}, Upsert: map[string]json.RawMessage{"m": json.RawMessage("{}")}}}
	resume := answering(0, "r2", "xr1")
	var everywhere []store.ThreadKey
	for i := range 100 {
		everywhere = append(everywhere, store.ThreadKey{Namespace: "n", Thread: fmt.Sprint(i)})
	}

	calls := []struct {
		name           string
		trips, scripts int
		call           func()
	}{
		{"read", 1, 1, func() {
			view(t, s, store.ReadQuery{Follower: true, Label: "r1", RunID: "r1", InterruptIDs: []string{"int"}})
		}},
		{"begin", 1, 1, begins(inline(0, "r1"))},
		{"renew", 1, 1, func() { held, err := s.Renew(ctx, claim); ok("renew", held, err) }},
		{"journal", 1, 1, func() { x, err := s.Journal(ctx, claim); ok("journal", x != nil, err) }},
		{"read, commit", 2, 2, func() { number = 1; committing(nil, 2)() }},
		{"read, commit that suspends", 2, 2, committing(suspend, 1)},
		{"read, begin that resumes", 2, 2, func() { resume.Version = view(t, s, store.ReadQuery{}).Version; begins(resume)() }},
		{"read, commit that ends", 2, 2, func() { number = 1; committing(&store.End{Kind: store.EndFinish}, 0)() }},
		{"read, begin that queues", 2, 2, func() {
			version = view(t, s, store.ReadQuery{}).Version
			queued.Version = version
			begins(queued)()
		}},
		{"claim", 1, 1, func() {
			res, err := s.Claim(ctx, store.ClaimRequest{Thread: testKey, Token: "t3"})
			ok("claim", res.Kind == store.ClaimQueued, err)
			claim = res.Claim
		}},
		{"activate", 1, 1, func() {
			res, err := s.Activate(ctx, store.Activation{Claim: claim, Execution: "xr3", Frozen: json.RawMessage("{}"), Events: [][]byte{delta}})
			ok("activate", res.Status == store.CommitOK, err)
		}},
		{"hand back", 1, 1, func() { ok("hand back", true, s.HandBack(ctx, claim)) }},
		{"claim that takes over", 1, 1, func() {
			res, err := s.Claim(ctx, store.ClaimRequest{Thread: testKey, Token: "t4"})
			ok("claim", res.Kind == store.ClaimTakeover, err)
			claim = res.Claim
		}},
		{"stop", 1, 1, func() {
			res, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: "q", Label: "r3", Terminal: delta})
			ok("stop", res.Stopped, err)
		}},
		{"read, range", 2, 2, func() {
			v := view(t, s, store.ReadQuery{})
			r, err := s.Range(ctx, testKey, v.Epoch, 1, 100)
			ok("range", r.Status == store.RangeOK && len(r.Events) > 0, err)
		}},
		{"tail of 100 threads", 1, partitions, func() { ends, err := s.Tail(ctx, everywhere); ok("tail", len(ends) == 100, err) }},
		{"due", 1, 1, func() { _, err := wanting(ctx, s, 100); ok("due", true, err) }},
		{"count dispatches", 1, partitions, func() { n, err := s.CountDispatches(ctx); ok("count", len(n) > 0, err) }},
		{"dispatch", 1, 1, func() { d, err := s.Dispatch(ctx, testKey, "r3"); ok("dispatch", d != nil, err) }},
		{"dispatches", 1, 1, func() {
			list, err := s.Dispatches(ctx, testKey, store.DispatchQuery{})
			ok("dispatches", len(list) == 3, err)
		}},
		{"set title", 1, 1, func() { set, err := s.SetTitle(ctx, testKey, "title"); ok("title", set, err) }},
		{"pause", 1, 1, func() { _, err := s.Pause(ctx, testKey, store.Wish{}); ok("pause", true, err) }},
		{"read, begin that queues another", 2, 2, func() {
			again := queued
			again.RunID, again.Version = "r4", view(t, s, store.ReadQuery{}).Version
			begins(again)()
		}},
		{"claim another", 1, 1, func() {
			res, err := s.Claim(ctx, store.ClaimRequest{Thread: testKey, Token: "t5"})
			ok("claim", res.Kind == store.ClaimQueued, err)
			claim = res.Claim
		}},
		{"nack", 1, 1, func() {
			res, err := s.Nack(ctx, store.Nack{Claim: claim, Terminal: delta})
			ok("nack", res.State == store.DispatchQueued, err)
		}},
		{"stop all", 1, 1, func() {
			res, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "i"})
			ok("stop all", len(res.Superseded) == 1, err)
		}},
		{"delete", 1, 1, func() { gone, err := s.Delete(ctx, testKey, store.Deletion{}); ok("delete", gone, err) }},
		{"begin that is refused", 1, 1, func() {
			res, err := s.Begin(ctx, inline(99, "r9"))
			ok("begin", res.Status == store.BeginStale, err)
		}},
		{"commit that is fenced", 1, 1, func() {
			res, err := s.Commit(ctx, store.Batch{Claim: claim, Number: 1, Events: [][]byte{delta}})
			ok("commit", res.Status == store.CommitFenced, err)
		}},
	}
	for _, c := range calls {
		trips, scripts, others := wire.during(c.call)
		t.Logf("%-32s %d round trips, %d scripts", c.name, trips, scripts)
		if trips != c.trips || scripts != c.scripts || len(others) > 0 {
			t.Errorf("%s: %d round trips with %d scripts and %q; %d and %d are promised, and nothing else",
				c.name, trips, scripts, others, c.trips, c.scripts)
		}
	}
}

// TestCommitsTravelTogether counts scripts where many runs commit at once: what arrives
// while one is on the way goes with the next one, whatever partition it is of.
func TestCommitsTravelTogether(t *testing.T) {
	const runs, each = 64, 20
	for _, partitions := range []int{1, 16} {
		t.Run(fmt.Sprint("partitions ", partitions), func(t *testing.T) {
			s, wire := onCounted(t, redistest.Start(t, redistest.Options{}).URL(), Options{Partitions: partitions, Lease: time.Hour, Timeout: patience})
			claims := beginMany(t, s, runs)
			_, scripts, others := wire.during(func() {
				if err := commitMany(s, claims, each, [][]byte{delta}); err != nil {
					t.Error(err)
				}
			})
			t.Logf("%d commits of %d runs in %d scripts", runs*each, runs, scripts)
			if len(others) > 0 {
				t.Errorf("and %q", others)
			}
			if scripts < each || scripts > runs*each/4 {
				t.Errorf("%d commits of %d runs took %d scripts: each run has %d, one after the other, and those of different runs share scripts", runs*each, runs, scripts, each)
			}
		})
	}
}

// A server that is a Cluster, though its client knows of none, refuses a script with keys
// of several slots: then each partition has its own.
func TestCommitsOfAClusterBehindOneAddress(t *testing.T) {
	const runs, each = 16, 5
	server := redistest.Start(t, redistest.Options{TCP: true, Args: []string{"--cluster-enabled", "yes"}})
	if answer, err := server.Do("CLUSTER", "ADDSLOTSRANGE", "0", "16383"); err != nil || answer != "+OK" {
		t.Skip(answer, err) // before Redis 7
	}
	await(t, "all slots are served", func() bool {
		text, err := server.Do("CLUSTER", "INFO")
		return err == nil && strings.Contains(text, "cluster_state:ok")
	})
	s := open(t, server.URL(), Options{Partitions: 16, Lease: time.Hour, Timeout: patience})
	if err := commitMany(s, beginMany(t, s, runs), each, [][]byte{delta}); err != nil {
		t.Error(err)
	}
	if !s.conn.Apart.Swap(false) {
		t.Error("nothing was refused")
	}
	page, err := s.Threads(context.Background(), store.ThreadQuery{Namespace: testKey.Namespace})
	if err != nil || len(page.Threads) != runs || !s.conn.Apart.Load() {
		t.Errorf("%d threads, %v, refused %t", len(page.Threads), err, s.conn.Apart.Load())
	}
}

// beginMany begins runs on threads of their own.
func beginMany(t testing.TB, s *Store, runs int) []store.Claim {
	t.Helper()
	claims := make([]store.Claim, runs)
	for i := range claims {
		b := inline(0, "r1")
		b.Thread.Thread = fmt.Sprint("run-", i)
		res, err := s.Begin(context.Background(), b)
		if err != nil || res.Status != store.BeginAccepted {
			t.Fatalf("begin: %+v, %v", res, err)
		}
		claims[i] = res.Claim
	}
	return claims
}

// commitMany commits to each run so many batches, each when the one before has
// been answered, all runs at once.
func commitMany(s *Store, claims []store.Claim, batches int, events [][]byte) error {
	failed := make(chan error, len(claims))
	var group sync.WaitGroup
	for _, c := range claims {
		group.Go(func() {
			end := int64(1)
			for n := range int64(batches) {
				res, err := s.Commit(context.Background(), store.Batch{Claim: c, Number: n + 2, Expect: end, Events: events})
				if err == nil && res.Status != store.CommitOK {
					err = errors.New("not stored")
				}
				if err != nil {
					failed <- fmt.Errorf("batch %d of %s: %+v, %w", n+2, c.Thread.Thread, res, err)
					return
				}
				end = res.End.Seq
			}
		})
	}
	group.Wait()
	close(failed)
	return <-failed
}
