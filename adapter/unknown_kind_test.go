package adapter_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// nacks tells of what is given up, and of what is left to others.
type nacks struct {
	store.Store
	given    chan struct{}
	returned chan struct{}
}

func (s *nacks) Return(ctx context.Context, work []store.Work) error {
	err := s.Store.Return(ctx, work)
	select {
	case s.returned <- struct{}{}:
	default:
	}
	return err
}

func (s *nacks) Nack(ctx context.Context, n store.Nack) (store.NackResult, error) {
	select {
	case s.given <- struct{}{}:
	default: // nobody counts any more
	}
	return s.Store.Nack(ctx, n)
}

// foreign is a store as a node meets it that knows fewer kinds of journal entries than
// the others: whatever it goes on from has one of another kind, and of another shape.
func foreign(s store.Store) *journals {
	return &journals{s, func(view *store.ExecutionView) {
		view.Journal = append(view.Journal, rawJSON(`{"kind":"of a later release","steps":"many"}`))
	}}
}

// A run whose journal a node cannot read waits for one that can, however it comes to
// that node and however often, and none of its attempts is spent.
func TestJournalsThatOnlyNewNodesCanRead(t *testing.T) {
	if testing.Short() {
		t.Skip("one node after another: the race detector sees nothing in it")
	}
	t.Parallel()
	asks := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "one", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return err
		}
		i := confirmation("go?")
		i.ExpiresAt = run.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
		answers, err := run.Ask(ctx, adapter.OnExpiry(i, adapter.Expiry{Policy: adapter.ExpiryCancel}))
		if err != nil {
			return err
		}
		return run.Say(status(answers.Of[0]))
	})
	says := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "one", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return err
		}
		return run.Say("hello")
	})
	setUp := func(t *testing.T, agent adapter.Agent) (*lab, *nacks, *runner.Runner) {
		var counted *nacks
		l := newLabOn(t, func(s store.Store) store.Store {
			counted = &nacks{s, make(chan struct{}, 100), make(chan struct{}, 1)}
			return foreign(counted)
		}, agent, func(o *runner.Options) { o.MaxAttempts = 2 })
		return l, counted, l.newNode(counted.Store, agent)
	}
	begin := func(l *lab, w *runner.Runner) string {
		l.t.Helper()
		in := user("one")
		in.ThreadID, in.RunID = l.key.Thread, "run-0"
		a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in})
		if err != nil || a.Disposition != admission.Started {
			l.t.Fatalf("%+v %v", a, err)
		}
		return a.RunID
	}
	// left lets the old node come by more often than there are attempts, and leaves
	// the run to a new one.
	left := func(l *lab, counted *nacks, run string, attempts int) {
		l.t.Helper()
		for range 4 {
			await(l, counted.given)
		}
		await(l, counted.returned)
		info, err := l.runner.FindRun(l.ctx(), l.key, run)
		if err == nil && info.State == store.DispatchClaimed {
			attempts++ // until the claim is given up again
		}
		if err != nil || info.State != store.DispatchQueued && info.State != store.DispatchClaimed || info.Attempts > attempts {
			l.t.Errorf("%+v %v", info, err)
		}
	}
	// lose begins a run on a node that is lost.
	lose := func(l *lab, counted *nacks, agent adapter.Agent) string {
		l.t.Helper()
		cut := l.cutBefore(counted.Store, protocol.TypeTextMessageStart)
		run := begin(l, l.newNode(cut, agent))
		await(l, cut.lost)
		return run
	}
	said := func(l *lab, want string) {
		l.t.Helper()
		// Either node may take the run, and it rests for up to half a minute when one could not go on with it: this
		// is for more than a hundred turns, as the wrong one has been seen to take eleven.
		succeeded(l.t, l.within(time.Hour, isEnd))
		if got := l.texts(); len(got) != 1 || got[0] != want {
			l.t.Errorf("said %q", got)
		}
		l.wellFormed()
	}
	shut := func(l *lab, w *runner.Runner) {
		l.t.Helper()
		if err := w.Shutdown(l.ctx()); err != nil {
			l.t.Fatal(err)
		}
	}

	t.Run("taken over", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, counted, gone := setUp(t, says)
			shut(l, gone)
			run := lose(l, counted, says)
			left(l, counted, run, 2)
			l.newNode(counted.Store, says)
			said(l, "hello")
		})
	})
	t.Run("answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, counted, gone := setUp(t, asks)
			begin(l, gone)
			open := interrupts(t, l.untilEnd())
			shut(l, gone)
			a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
			left(l, counted, a.RunID, 1)
			l.newNode(counted.Store, asks)
			said(l, "resolved")
		})
	})
	t.Run("expired", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, counted, gone := setUp(t, asks)
			begin(l, gone)
			interrupts(t, l.untilEnd())
			shut(l, gone)
			l.forward(time.Hour + time.Second)
			for range 4 {
				await(l, counted.given)
			}
			l.newNode(counted.Store, asks)
			said(l, "cancelled")
		})
	})
	t.Run("given up and requeued", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, counted, gone := setUp(t, says)
			shut(l, gone)
			// This one is not to be had before both workers are lost.
			shut(l, l.runner)
			run := lose(l, counted, says)
			if c, err := counted.Store.Claim(l.ctx(), store.ClaimRequest{Thread: l.key, Token: "lost too"}); err != nil || c.Kind != store.ClaimTakeover {
				t.Fatalf("%+v %v", c, err)
			}
			l.lapse()
			if c, err := counted.Store.Claim(l.ctx(), store.ClaimRequest{Thread: l.key, Token: "lost as well"}); err != nil || c.Kind != store.ClaimTakeover {
				t.Fatalf("%+v %v", c, err)
			}
			l.lapse()
			l.replace(says)
			left(l, counted, run, 2)
			w := l.newNode(counted.Store, says)
			failedWith(t, l.untilEnd(), adapter.CodeWorkerLost)
			letter := l.theRun(store.DispatchDeadLetter)
			shut(l, w)
			a, err := l.runner.Requeue(l.ctx(), l.key, letter.ID)
			if err != nil || a.Disposition != admission.Started {
				t.Fatalf("%+v %v", a, err)
			}
			left(l, counted, a.RunID, 1)
			l.newNode(counted.Store, says)
			said(l, "hello")
		})
	})
	// It has waited for long enough: nobody is blamed for it.
	t.Run("nobody comes", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l, counted, gone := setUp(t, asks)
			begin(l, gone)
			open := interrupts(t, l.untilEnd())
			shut(l, gone)
			shut(l, l.runner)
			l.replace(asks, func(o *runner.Options) { o.AgentWait = -1 })
			failedWith(t, l.answer(resolved(open[0].ID, "1")), adapter.CodeStateCorrupted)
			if n := len(counted.given); n != 0 {
				t.Errorf("it was tried %d times again", n)
			}
			if letter := l.theRun(store.DispatchDeadLetter); letter.Attempts != 1 {
				t.Errorf("%d attempts", letter.Attempts)
			}
		})
	})
}
