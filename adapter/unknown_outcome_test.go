package adapter_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// away is a way to the store that is lost in mid-call, after or before the store
// has carried the call out, until it is there again.
type away struct {
	store.Store
	call     string // the call that is lost
	executed bool

	mu   sync.Mutex
	gone bool
	met  chan struct{} // closed when the call was lost
}

func (s *away) lose(call string, executed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.call, s.executed, s.met = call, executed, make(chan struct{})
}

func (s *away) back() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone, s.call = false, ""
}

var errAway = fmt.Errorf("%w: away", store.ErrOutcomeUnknown)

// passes is nil, or the error that the call is answered; execute: after the store
// has carried it out.
func (s *away) passes(call string) (execute bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.gone:
		return false, errAway
	case s.call == call:
		s.gone = true
		close(s.met)
		return s.executed, errAway
	}
	return true, nil
}

func reached[T any](s *away, name string, call func() (T, error)) (T, error) {
	var none T
	execute, lost := s.passes(name)
	if execute {
		result, err := call()
		if lost == nil || err != nil {
			return result, err
		}
	}
	return none, lost
}

func (s *away) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	return reached(s, "begin", func() (store.BeginResult, error) { return s.Store.Begin(ctx, b) })
}

func (s *away) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	return reached(s, "activate", func() (store.CommitResult, error) { return s.Store.Activate(ctx, a) })
}

func (s *away) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	return reached(s, "read", func() (*store.ThreadView, error) { return s.Store.Read(ctx, key, q) })
}

func (s *away) Dispatch(ctx context.Context, key store.ThreadKey, id string) (*store.Dispatch, error) {
	return reached(s, "dispatch", func() (*store.Dispatch, error) { return s.Store.Dispatch(ctx, key, id) })
}

func (s *away) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	return reached(s, "work", func() ([]store.Work, error) { return s.Store.Work(ctx, q) })
}

func (s *away) Renew(ctx context.Context, c store.Claim) (bool, error) {
	return reached(s, "renew", func() (bool, error) { return s.Store.Renew(ctx, c) })
}

// said tells that a call was given up.
type said chan struct{}

func (s said) Write(line []byte) (int, error) {
	if strings.Contains(string(line), "not known whether") {
		select {
		case s <- struct{}{}:
		default:
		}
	}
	return len(line), nil
}

// A run that has begun, of which its node was not told, is carried by that node when
// the store answers again, however late.
func TestRunWhoseBeginningWasNotAnswered(t *testing.T) {
	for _, tt := range []struct {
		name, call string
		lapses     bool
	}{
		{"begun", "begin", false},
		{"begun, and its lease has ended since", "begin", true},
		{"taken from the queue", "activate", false},
		{"taken from the queue, and its lease has ended since", "activate", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var calls atomic.Int32
				agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					calls.Add(1)
					return run.Say("hello")
				})
				st := &away{}
				gaveUp := make(said, 1)
				l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, agent,
					func(o *runner.Options) {
						// What is said of a store that does not answer may be thinned.
						o.Logger = slog.New(slog.NewTextHandler(gaveUp, &slog.HandlerOptions{Level: slog.LevelDebug}))
					})
				st.lose(tt.call, true)
				in := user("hi")
				in.ThreadID, in.RunID = l.key.Thread, "run-0"
				send := func() (admission.Admitted, error) {
					o := admission.Input{Namespace: l.key.Namespace, Run: in}
					if tt.call == "activate" {
						o.Dispatch.Available = time.Now().Add(time.Millisecond)
					}
					return l.runner.Submit(l.ctx(), o)
				}
				if _, err := send(); (err != nil) != (tt.call == "begin") {
					t.Fatal(err)
				}
				await(l, st.met)
				if tt.call == "activate" {
					await(l, gaveUp)
				}
				if tt.lapses {
					l.lapse()
				}
				st.back()
				a, err := send()
				if err != nil || a.Disposition != admission.Repeat {
					t.Errorf("the same again: %s %+v %v", a.Disposition, a.Refusal, err)
				}
				succeeded(t, l.untilEnd())
				if n := calls.Load(); n != 1 {
					t.Errorf("the agent was called %d times", n)
				}
				l.wellFormed()
			})
		})
	}
}

// What the store was never told does not begin behind the back of its sender.
func TestBeginThatNeverCameToTheStore(t *testing.T) {
	var calls atomic.Int32
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		calls.Add(1)
		return run.Say("hello")
	})
	st := &away{}
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, agent,
		func(o *runner.Options) { o.StoreTimeout = 100 * time.Millisecond; o.Lease = soon })
	st.lose("begin", false)
	in := user("hi")
	in.ThreadID, in.RunID = l.key.Thread, "run-0"
	if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err == nil {
		t.Fatalf("%+v", a)
	}
	st.back()
	if err := l.runner.Shutdown(l.ctx()); err != nil { // waits for the question after it
		t.Fatal(err)
	}
	if view, err := st.Store.Read(l.ctx(), l.key, store.ReadQuery{}); err != nil || view.Latest != nil || calls.Load() != 0 {
		t.Errorf("%+v %v, the agent was called %d times", view, err, calls.Load())
	}
}

// unanswered is a store that carries out a Begin of a thread and does not tell, and
// tells of no dispatch, while it is silent.
type unanswered struct {
	store.Store
	thread string
	silent atomic.Bool
}

func (s *unanswered) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	r, err := s.Store.Begin(ctx, b)
	if err == nil && s.silent.Load() && b.Thread.Thread == s.thread {
		return store.BeginResult{}, errAway
	}
	return r, err
}

func (s *unanswered) Dispatch(ctx context.Context, key store.ThreadKey, id string) (*store.Dispatch, error) {
	if s.silent.Load() {
		return nil, errAway
	}
	return s.Store.Dispatch(ctx, key, id)
}

// A run that may have begun keeps its place until that is known.
func TestRunThatMayHaveBegunHasItsPlace(t *testing.T) {
	c := newCrowd()
	st := &unanswered{thread: "thread"}
	l := newLabOn(t, func(s store.Store) store.Store { st.Store = s; return st }, c,
		func(o *runner.Options) { o.MaxRuns, o.Sweep, o.StoreTimeout = 1, time.Hour, time.Second })
	st.silent.Store(true)
	in := user("hi")
	in.ThreadID, in.RunID = l.key.Thread, "run-0"
	if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err == nil {
		t.Fatalf("%+v", a)
	}
	other := l.on("other")
	if a := other.submit(user("hold")); a.Disposition != admission.Queued {
		t.Errorf("another run is %s", a.Disposition)
	}
	st.silent.Store(false)
	for _, l := range []*lab{l, other} {
		await(l, c.began)
		c.end()
		succeeded(t, l.untilEnd())
	}
	if c.widest > 1 {
		t.Errorf("%d runs at once", c.widest)
	}
}
