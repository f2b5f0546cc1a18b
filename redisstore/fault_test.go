package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var testKey = store.ThreadKey{Namespace: "n", Thread: "t"}

func open(t *testing.T, url string, o Options) *Store {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := Open(context.Background(), url, &o)
	if err != nil {
		t.Fatal(err)
	}
	scripted(s)
	return closing(t, s)
}

// scripted gives a server all scripts, which one that has been in use for a while has.
func scripted(s *Store) {
	pipe := s.conn.Client.Pipeline()
	for _, sc := range lua.All {
		pipe.ScriptLoad(context.Background(), sc.Source)
	}
	_, _ = pipe.Exec(context.Background()) // of a server that does not answer, tests are told otherwise
}

func inline(version int64, run string) store.Begin {
	return store.Begin{Thread: testKey, Version: version, RunID: run, Label: run, Execution: "x" + run, Record: json.RawMessage("{}"),
		Kind: store.Execute{Claimed: claimedAs(run), Fresh: store.Fresh{Frozen: json.RawMessage("{}")}}}
}

func claimedAs(run string) store.Claimed {
	return store.Claimed{Token: "token-" + run, Events: [][]byte{[]byte("start:" + run)}}
}

func queued(version int64, run string) store.Begin {
	b := inline(version, run)
	b.Kind = store.Enqueue{Input: json.RawMessage("{}"), Cancelled: [2][]byte{[]byte("start:" + run), []byte("cancelled:" + run)}}
	return b
}

// answering goes on with a suspended execution.
func answering(version int64, run, execution string) store.Begin {
	b := inline(version, run)
	b.Execution, b.Kind = execution, store.Resume{Claimed: claimedAs(run),
		Answers: map[string]json.RawMessage{"int": json.RawMessage("1")}, Decisions: json.RawMessage("1"),
		Decided: []store.Decided{{Interrupt: "int", Status: store.DecisionResolved}}}
	return b
}

func begin(t *testing.T, s *Store, b store.Begin) store.Claim {
	t.Helper()
	res, err := s.Begin(context.Background(), b)
	if err != nil || res.Status != store.BeginAccepted {
		t.Fatalf("begin: %+v, %v", res, err)
	}
	return res.Claim
}

func commit(t *testing.T, s *Store, b store.Batch) store.CommitResult {
	t.Helper()
	res, err := s.Commit(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func view(t *testing.T, s *Store, q store.ReadQuery) *store.ThreadView {
	t.Helper()
	v, err := s.Read(context.Background(), testKey, q)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// retried sends a call again until the store answers.
func retried(t *testing.T, call func() error) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; {
		err := call()
		if err == nil {
			return
		}
		if !errors.Is(err, store.ErrOutcomeUnknown) || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

func TestALostReplyIsAnUnknownOutcomeAndTheCallSentAgainFindsIt(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	proxy := redistest.StartProxy(t, server)
	s := open(t, proxy.URL(), Options{})
	ctx := context.Background()
	var claim store.Claim
	calls := []struct {
		name, marker string
		call         func() error
	}{
		{"begin", "start:r1", func() error {
			res, err := s.Begin(ctx, inline(0, "r1"))
			claim = res.Claim
			return err
		}},
		{"commit", "event-b", func() error {
			_, err := s.Commit(ctx, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("event-b")}})
			return err
		}},
		{"end", "event-end", func() error {
			_, err := s.Commit(ctx, store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{[]byte("event-end")}, End: &store.End{Kind: store.EndFinish}})
			return err
		}},
		{"queue", "input-r2", func() error {
			b := inline(2, "r2")
			b.Kind = store.Enqueue{Input: json.RawMessage(`"input-r2"`), Cancelled: [2][]byte{[]byte("a"), []byte("b")}}
			_, err := s.Begin(ctx, b)
			return err
		}},
		{"claim", "token-claim", func() error {
			res, err := s.Claim(ctx, store.ClaimRequest{Thread: testKey, Token: "token-claim"})
			if err == nil && res.Kind != store.ClaimQueued {
				t.Errorf("claim: %+v", res)
			}
			claim = res.Claim
			return err
		}},
		{"activate", "start:r2", func() error {
			_, err := s.Activate(ctx, store.Activation{Claim: claim, Execution: "xr2", Frozen: json.RawMessage("{}"), Events: [][]byte{[]byte("start:r2")}})
			return err
		}},
		{"stop", "stopped-r2", func() error {
			res, err := s.Stop(ctx, store.Stop{Thread: testKey, Request: "q", Label: "r2", Terminal: []byte("stopped-r2")})
			if err == nil && !res.Stopped {
				t.Errorf("stop: %+v", res)
			}
			return err
		}},
	}
	for i, c := range calls {
		proxy.LoseReplyTo(c.marker)
		if err := c.call(); !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if proxy.Lost() != i+1 {
			t.Fatalf("%s: %d replies lost", c.name, proxy.Lost())
		}
		retried(t, c.call)
	}
	v := view(t, s, store.ReadQuery{})
	var log string
	for _, e := range v.Log {
		log += string(e) + " "
	}
	if log != "start:r1 event-b event-end start:r2 stopped-r2 " {
		t.Errorf("log: %s", log)
	}
	if v.Version != 6 {
		t.Errorf("version %d after six decisions", v.Version)
	}
}

func TestAFullServerRefusesWholeCallsAndTakesThemWhenItHasRoom(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{})
	claim := begin(t, s, inline(0, "r1"))
	before := view(t, s, store.ReadQuery{})
	memory := func(max string) {
		if answer, err := server.Do("CONFIG", "SET", "maxmemory", max); answer != "+OK" || err != nil {
			t.Fatal(answer, err)
		}
	}
	memory("1")
	ctx := context.Background()
	batch := store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}, Entries: []json.RawMessage{json.RawMessage("1")}}
	end := batch
	end.Number, end.Expect, end.End = 3, 2, &store.End{Kind: store.EndFinish}
	calls := []func() error{
		func() error { _, err := s.Commit(ctx, batch); return err },
		func() error { _, err := s.Commit(ctx, end); return err },
	}
	if err := calls[0](); !errors.Is(err, store.ErrOutcomeUnknown) || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("when full: %v", err)
	}
	after := view(t, s, store.ReadQuery{})
	before.Now, after.Now = time.Time{}, time.Time{}
	if !reflect.DeepEqual(before, after) {
		t.Errorf("changed from %+v to %+v", before, after)
	}
	memory("0")
	for _, call := range calls {
		retried(t, call)
	}
	if v := view(t, s, store.ReadQuery{}); v.Seq != 3 || v.Active != nil {
		t.Errorf("afterwards: %+v", v)
	}
}

func TestScriptsThatTheServerLostAreSentAgain(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{})
	forgets(t, server)
	claim := begin(t, s, inline(0, "r1"))
	forgets(t, server)
	if res := commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}}); res.Status != store.CommitOK {
		t.Errorf("commit: %+v", res)
	}
	forgets(t, server) // and in a pipeline of all partitions
	if _, err := wanting(context.Background(), s, 10); err != nil {
		t.Error(err)
	}
}

func TestAKilledServerWithItsLogOnDiskForgetsNothingAndBeginsAnEpoch(t *testing.T) {
	server := redistest.Start(t, redistest.Options{AOF: "always"})
	s := open(t, server.URL(), Options{})
	var lost atomic.Int64
	s.Listen(func(d store.Delivery) {
		if d.Kind == store.DeliverLost {
			lost.Add(1)
		}
	})
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}, Entries: []json.RawMessage{json.RawMessage("1")}})
	before := view(t, s, store.ReadQuery{})
	server.Restart()
	retried(t, func() error {
		res, err := s.Commit(context.Background(), store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{[]byte("c")}})
		if err == nil && (res.Status != store.CommitOK || res.End.Seq != 3) {
			t.Errorf("commit: %+v", res)
		}
		return err
	})
	after := view(t, s, store.ReadQuery{After: &store.Position{Epoch: before.Epoch, Seq: 2}})
	if after.Epoch == before.Epoch || after.Recovered || len(after.Log) != 3 {
		t.Errorf("epoch %s after %s, recovered %t, %d events", after.Epoch, before.Epoch, after.Recovered, len(after.Log))
	}
	await(t, "the node is told that it may have missed something", func() bool { return lost.Load() > 0 })
}

func TestAServerThatForgotIsNoticedByItsWriterAndItsReaders(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{Lease: 50 * time.Millisecond})
	claim := begin(t, s, inline(0, "r1"))
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}, Entries: []json.RawMessage{json.RawMessage("1")}})
	before := view(t, s, store.ReadQuery{})
	if _, err := server.Do("SAVE"); err != nil {
		t.Fatal(err)
	}
	commit(t, s, store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{[]byte("forgotten")}})
	server.Restart()
	for _, end := range []*store.End{nil, {Kind: store.EndFinish}} {
		retried(t, func() error {
			res, err := s.Commit(context.Background(), store.Batch{Claim: claim, Number: 4, Expect: 3, Events: [][]byte{[]byte("d")}, End: end})
			if err == nil && res.Status != store.CommitAhead {
				t.Errorf("commit: %+v", res)
			}
			return err
		})
	}
	v := view(t, s, store.ReadQuery{After: &store.Position{Epoch: before.Epoch, Seq: 2}})
	if v.Recovered || v.Seq != 2 {
		t.Errorf("recovered %t, seq %d", v.Recovered, v.Seq)
	}
	var taken store.ClaimResult
	await(t, "the run can be taken over", func() bool {
		var err error
		if taken, err = s.Claim(context.Background(), store.ClaimRequest{Thread: testKey, Token: "t2"}); err != nil {
			t.Fatal(err)
		}
		return taken.Kind == store.ClaimTakeover
	})
	x, err := s.Journal(context.Background(), taken.Claim)
	if err != nil || len(x.Journal) != 1 {
		t.Errorf("journal: %+v, %v", x, err)
	}
}

func TestACutNodeChannelIsJoinedAgainAndReported(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	proxy := redistest.StartProxy(t, server)
	follower := open(t, proxy.URL(), Options{Node: "follower"})
	writer := open(t, server.URL(), Options{Node: "writer"})
	heard := make(chan store.Delivery, 100)
	follower.Listen(func(d store.Delivery) { heard <- d })
	view(t, follower, store.ReadQuery{Follower: true})
	proxy.Cut()
	if d := next(t, heard); d.Kind != store.DeliverLost {
		t.Fatalf("heard %+v", d)
	}
	begin(t, writer, inline(0, "r1"))
	if d := next(t, heard); d.Kind != store.DeliverEvents || d.First != 1 {
		t.Fatalf("heard %+v", d)
	}
}

func next(t *testing.T, heard chan store.Delivery) store.Delivery {
	t.Helper()
	select {
	case d := <-heard:
		return d
	case <-time.After(30 * time.Second):
		t.Fatal("nothing heard")
		return store.Delivery{}
	}
}

func await(t *testing.T, what string, f func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !f(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("it never came true that %s", what)
		}
	}
}
