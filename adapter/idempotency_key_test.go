package adapter_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

// keys are the idempotency keys with which each payee was paid.
type keys struct {
	mu   sync.Mutex
	list map[string][]string
}

func (k *keys) of(to string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.list[to])
}

// pay carries out an idempotent call under an id that several calls have. Before
// the call is recorded, then is called with how often the payee was paid.
func (k *keys) pay(ctx context.Context, run *adapter.Run, to string, then func(n int)) error {
	_, err := adapter.CallTools(ctx, run, adapter.ToolCall{
		ID: "call_0", Name: "pay", Args: rawJSON(fmt.Sprintf(`{"to":%q}`, to)), Policy: adapter.PolicyAllow, Idempotent: true,
		Do: func(_ context.Context, c adapter.Invocation) (rawJSON, error) {
			k.mu.Lock()
			if k.list == nil {
				k.list = map[string][]string{}
			}
			k.list[to] = append(k.list[to], c.IdempotencyKey)
			n := len(k.list[to])
			k.mu.Unlock()
			then(n)
			return rawJSON("{}"), nil
		},
	})
	return err
}

// distinct wants one key for each payee, whatever the number of attempts.
func (k *keys) distinct(t *testing.T, attempts map[string]int) {
	t.Helper()
	payees := map[string]string{}
	for to, n := range attempts {
		got := k.of(to)
		if len(got) != n || len(slices.Compact(slices.Clone(got))) != 1 {
			t.Errorf("%s was paid with the keys %q, want one key %d times", to, got, n)
			continue
		}
		if other, taken := payees[got[0]]; taken {
			t.Errorf("%s and %s were paid with the same key", to, other)
		}
		payees[got[0]] = to
	}
	if got := slices.Sorted(maps.Keys(k.list)); len(got) != len(attempts) {
		t.Errorf("paid %q", got)
	}
}

// remembers knows which execution was begun.
type remembers struct {
	store.Store
	execution *string
}

func (s remembers) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	if *s.execution == "" {
		*s.execution = b.Execution
	}
	return s.Store.Begin(ctx, b)
}

// Calls of one id have keys of their own.
func TestIdempotencyKeysOfOneID(t *testing.T) {
	var k keys
	var dying *cutStore
	execution := ""
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := k.pay(ctx, run, "alice", func(int) {}); err != nil {
			return err
		}
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		for _, to := range []string{"bob", "carol"} {
			err := k.pay(ctx, run, to, func(n int) {
				if to == "carol" && n == 1 {
					dying.sever()
				}
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	l := newLabOn(t, func(s store.Store) store.Store { return remembers{s, &execution} }, agent)
	dying = l.cutAfter(l.store, -1)
	w := l.worker(dying, agent)
	l.beginOn(w, "hi", "run-0")
	open := interrupts(t, l.untilEnd())
	in := user("go on")
	in.ThreadID, in.RunID = l.key.Thread, "answer"
	in.Resume = append(in.Resume, resolved(open[0].ID, "1"))
	if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%s %v", a.Disposition, err)
	}
	succeeded(t, l.untilEnd())
	k.distinct(t, map[string]int{"alice": 1, "bob": 1, "carol": 2})
	if want := uuid.NewSHA1(uuid.MustParse(execution), []byte("call/call_0#0")).String(); k.of("alice")[0] != want {
		t.Errorf("the first call has the key %s, want %s", k.of("alice")[0], want)
	}
}

// Branches may use one id too, and end in any order.
func TestIdempotencyKeysOfBranches(t *testing.T) {
	var k keys
	var dying *cutStore
	execution := ""
	started := make(chan string, 8)
	agent := func(first bool) adapter.Agent {
		return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if err := k.pay(ctx, run, "main", func(int) {}); err != nil {
				return err
			}
			var branches []func(context.Context, *adapter.Run) error
			turns := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
			if first { // the last branch goes first
				close(turns[2])
			} else {
				close(turns[0])
			}
			for i := range 2 {
				branches = append(branches, func(ctx context.Context, run *adapter.Run) error {
					mine, next := turns[i], turns[i+1]
					if first {
						mine, next = next, mine
					}
					<-mine
					defer close(next)
					return k.pay(ctx, run, fmt.Sprint("branch ", i), func(int) {
						if first && i == 0 {
							dying.sever()
							started <- run.ThreadID()
						}
					})
				})
			}
			return adapter.Parallel(ctx, run, branches...)
		})
	}
	l := newLabOn(t, func(s store.Store) store.Store { return remembers{s, &execution} }, agent(false))
	dying = l.cutAfter(l.store, -1)
	l.beginOn(l.worker(dying, agent(true)), "hi", "run-0")
	await(l, started)
	succeeded(t, l.untilEnd())
	k.distinct(t, map[string]int{"main": 1, "branch 0": 2, "branch 1": 1})
}
