package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/redis/go-redis/v9"
)

func TestMailboxCallsWhoseReplyIsLostFindWhatTheyDid(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	proxy := redistest.StartProxy(t, server)
	s := open(t, proxy.URL(), Options{})
	ctx := context.Background()
	claim := func(token string, kind store.ClaimKind) store.Claim {
		t.Helper()
		res, err := s.Claim(ctx, store.ClaimRequest{Thread: testKey, Token: token})
		if err != nil || res.Kind != kind {
			t.Fatalf("claim %s: %+v, %v", token, res, err)
		}
		return res.Claim
	}
	version := func() int64 { t.Helper(); return view(t, s, store.ReadQuery{}).Version }
	// sent loses the call's first reply, and holds what it answers when it is
	// sent again to what it did.
	sent := func(marker string, want any, call func() (any, error)) {
		t.Helper()
		proxy.LoseReplyTo(marker)
		if _, err := call(); !errors.Is(err, store.ErrOutcomeUnknown) {
			t.Fatalf("%s: %v", marker, err)
		}
		before := version()
		var got any
		retried(t, func() (err error) { got, err = call(); return err })
		if !reflect.DeepEqual(got, want) || version() != before {
			t.Errorf("%s: answered %+v, want %+v; version %d, before %d", marker, got, want, version(), before)
		}
	}

	begin(t, s, queued(0, "r1"))
	n := store.Nack{Claim: claim("t1", store.ClaimQueued), Error: "nack-r1", Terminal: []byte("failed:r1")}
	sent("nack-r1", store.NackResult{State: store.DispatchQueued, Ready: true}, func() (any, error) { return s.Nack(ctx, n) })
	b := store.Nack{Claim: claim("t2", store.ClaimQueued), Error: "bury-r1", Terminal: []byte("failed:r1")}
	if _, err := s.Activate(ctx, store.Activation{Claim: b.Claim, Execution: "xr1", Frozen: json.RawMessage("{}"), Events: [][]byte{[]byte("start:r1")}}); err != nil {
		t.Fatal(err)
	}
	sent("bury-r1", store.NackResult{State: store.DispatchDeadLetter}, func() (any, error) { return s.Bury(ctx, b) })

	again := inline(version(), "r2")
	again.Execution, again.Kind = "xr1", store.Requeue{Claimed: claimedAs("r2"), Letter: "r1"}
	var at store.Position
	sent("start:r2", store.Claim{Thread: testKey, RunID: "r2", Token: "token-r2"}, func() (any, error) {
		res, err := s.Begin(ctx, again)
		at = res.Position
		return res.Claim, err
	})
	if at.Seq != 2 {
		t.Errorf("begun at %d", at.Seq)
	}
	x, err := s.Journal(ctx, store.Claim{Thread: testKey, RunID: "r2", Token: "token-r2"})
	if err != nil || x.ID != "xr1" {
		t.Errorf("the execution that goes on: %+v, %v", x, err)
	}

	begin(t, s, queued(version(), "r3"))
	i := store.StopAll{Thread: testKey, Request: "request-1", Active: "r2", Terminal: []byte("interrupted:r2")}
	sent("request-1", store.StopAllResult{Epoch: 1, Active: "r2", Superseded: []string{"r3"}, Owed: [][][]byte{nil}, Behind: 6},
		func() (any, error) { return s.StopAll(ctx, i) })
	var log []string
	for _, e := range view(t, s, store.ReadQuery{}).Log {
		log = append(log, string(e))
	}
	if got := strings.Join(log, " "); got != "start:r1 failed:r1 start:r2 interrupted:r2 start:r3 cancelled:r3" {
		t.Errorf("log: %s", got)
	}
}

// A record that was once large stays a table for ever, at several times the
// cost: what closes a run may be long, and must lie elsewhere.
func TestTheRecordStaysPackedWhateverARunLeavesOpen(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	s := open(t, server.URL(), Options{})
	ctx := context.Background()
	keys := s.conn.Keys.Thread(testKey)
	packed := func(when string) {
		t.Helper()
		if enc, err := s.conn.Client.ObjectEncoding(ctx, keys.Rec()).Result(); enc != "listpack" && enc != "ziplist" || err != nil {
			t.Errorf("%s: %s, %v", when, enc, err)
		}
	}
	claim := begin(t, s, inline(0, "r1"))
	long := json.RawMessage(`["` + strings.Repeat("x", 4000) + `"]`)
	commit(t, s, store.Batch{Claim: claim, Number: 2, Expect: 1, Events: [][]byte{[]byte("b")}, Closing: long})
	packed("while it is open")
	for _, q := range []store.ReadQuery{{Follower: true, Sender: true}, {Follower: true}} {
		view(t, open(t, server.URL(), Options{}), q)
		packed("while another node follows")
		s.conn.Client.HSet(ctx, keys.Rec(), "nodes", "")
		view(t, s, store.ReadQuery{Follower: true, Sender: true})
	}
	commit(t, s, store.Batch{Claim: claim, Number: 3, Expect: 2, Events: [][]byte{[]byte("asks")},
		End: &store.End{Kind: store.EndSuspend, Suspension: json.RawMessage("{}"), Interrupts: []string{"int"}}})
	packed("at rest")
	if n, err := s.conn.Client.Exists(ctx, keys.Closing()).Result(); n != 0 || err != nil {
		t.Errorf("what closes the run is still there: %d, %v", n, err)
	}
}

func TestADeadLettersExecutionIsKeptForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := Embedded(&Options{Keep: 10 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		ctx := context.Background()
		requeued := func(thread string, after time.Duration, frozen json.RawMessage) store.BeginStatus {
			t.Helper()
			b := inline(0, "r1")
			b.Thread.Thread = thread
			claim := begin(t, s, b)
			if res, err := s.Bury(ctx, store.Nack{Claim: claim, Terminal: []byte("failed")}); err != nil || res.State != store.DispatchDeadLetter {
				t.Fatal(res, err)
			}
			time.Sleep(after)
			b = inline(2, "r2")
			b.Thread.Thread, b.Execution = thread, "xr1"
			b.Kind = store.Requeue{Claimed: claimedAs("r2"), Letter: "r1"}
			if frozen != nil {
				b.Kind = store.Execute{Claimed: claimedAs("r2"), Fresh: store.Fresh{Frozen: frozen}, Letter: "r1"}
			}
			res, err := s.Begin(ctx, b)
			if err != nil {
				t.Fatal(err)
			}
			if res.Status == store.BeginAccepted { // and the execution is live again
				time.Sleep(time.Hour)
				if x, err := s.Journal(ctx, res.Claim); err != nil || x.Frozen == nil {
					t.Errorf("%s: %+v, %v", thread, x, err)
				}
			}
			return res.Status
		}
		if got := requeued("in time", 9*time.Minute, nil); got != store.BeginAccepted {
			t.Errorf("in time: %d", got)
		}
		if got := requeued("late", 11*time.Minute, nil); got != store.BeginGone {
			t.Errorf("late: %d", got)
		}
		if got := requeued("from the beginning", 11*time.Minute, json.RawMessage("{}")); got != store.BeginAccepted {
			t.Errorf("from the beginning: %d", got)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestSenselessMailboxCallsAreErrors(t *testing.T) {
	s, err := Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	closing(t, s)
	ctx := context.Background()
	for name, change := range map[string]func(*store.Begin){
		"less than no attempt": func(b *store.Begin) { b.MaxAttempts = -1 },
		"no way to begin":      func(b *store.Begin) { b.Kind = nil },
		"no run":               func(b *store.Begin) { b.RunID = "" },
		"nothing to see":       func(b *store.Begin) { b.Kind = store.Execute{Claimed: claimedAs("r1")} },
		"no claim": func(b *store.Begin) {
			b.Kind = store.Execute{Fresh: store.Fresh{Frozen: json.RawMessage("{}")}}
		},
		"a wait that cannot be cancelled": func(b *store.Begin) { b.Kind = store.Enqueue{Input: json.RawMessage("{}")} },
		"no dead letter":                  func(b *store.Begin) { b.Kind = store.Requeue{Claimed: claimedAs("r1")} },
		"no answers": func(b *store.Begin) {
			b.Kind = store.Resume{Claimed: claimedAs("r1"), Decisions: json.RawMessage("1")}
		},
		"answers that no journal has": func(b *store.Begin) {
			b.Kind = store.Resume{Claimed: claimedAs("r1"), Answers: map[string]json.RawMessage{"int": json.RawMessage("1")}}
		},
		"answers that are not on record": func(b *store.Begin) {
			*b = answering(0, "r1", "x")
			k := b.Kind.(store.Resume)
			k.Decided = nil
			b.Kind = k
		},
		"a record of what is not answered": func(b *store.Begin) {
			*b = answering(0, "r1", "x")
			b.Kind.(store.Resume).Decided[0].Interrupt = "other"
		},
		"a decision of no kind": func(b *store.Begin) {
			*b = answering(0, "r1", "x")
			b.Kind.(store.Resume).Decided[0].Status = "denied"
		},
	} {
		b := inline(0, "r1")
		change(&b)
		if _, err := s.Begin(ctx, b); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, call := range map[string]func() error{
		"nack without an end":     func() error { _, err := s.Nack(ctx, store.Nack{}); return err },
		"burial without an end":   func() error { _, err := s.Bury(ctx, store.Nack{}); return err },
		"stop all without a name": func() error { _, err := s.StopAll(ctx, store.StopAll{Thread: testKey}); return err },
		"stop all of a run without its end": func() error {
			_, err := s.StopAll(ctx, store.StopAll{Thread: testKey, Request: "q", Active: "r1"})
			return err
		},
		"a negative page": func() error {
			_, err := s.Dispatches(ctx, testKey, store.DispatchQuery{Offset: -1})
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if v := view(t, s, store.ReadQuery{}); v.Version != 0 {
		t.Errorf("version %d", v.Version)
	}
}

// A list that comes in pieces, because inputs are large, has each dispatch that waits throughout, and none twice:
// whatever is taken out of the queue before whichever piece.
func TestAListOfDispatchesThatMovesOn(t *testing.T) {
	server := redistest.Start(t, redistest.Options{})
	for calls, over := 1, false; !over; calls++ {
		o := Options{Prefix: fmt.Sprint(calls), Partitions: 1}
		s, far := open(t, server.URL(), o), open(t, server.URL(), o)
		begin(t, s, inline(0, "r0"))
		var want []string
		for i := range 7 {
			b := queued(int64(i+1), fmt.Sprint("r", i+1))
			k := b.Kind.(store.Enqueue)
			k.Input = json.RawMessage(fmt.Sprintf("%q", incompressible(300<<10)))
			b.Kind = k
			begin(t, s, b)
			want = append(want, b.RunID)
		}
		at := &meddling{dying: dying{left: calls}, before: func() {
			if res, err := s.Stop(t.Context(), store.Stop{Thread: testKey, Request: "q", RunID: "r1", QueuedOnly: true}); err != nil || !res.Stopped {
				t.Error(res, err)
			}
		}}
		far.conn.Client.(*redis.Client).AddHook(at)
		list, err := far.Dispatches(t.Context(), testKey, store.DispatchQuery{States: []store.DispatchState{store.DispatchQueued}})
		if err != nil {
			t.Fatal(err)
		}
		if over = at.left > 0; over && calls < 4 {
			t.Errorf("%d calls list them", calls-1)
		}
		var got []string
		for _, d := range list {
			got = append(got, d.ID)
		}
		if !over {
			want = want[1:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("before call %d one is taken out, and %q are listed", calls, got)
		}
	}
}
