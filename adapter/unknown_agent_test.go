package adapter_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// passes tells of what a node is given when it looks for work, which is to be nothing, and
// counts its claims.
type passes struct {
	store.Store
	looked chan struct{}
	given  atomic.Int64
	claims atomic.Int64
	last   atomic.Value // what it was given
}

func (s *passes) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	work, err := s.Store.Work(ctx, q)
	s.given.Add(int64(len(work)))
	if len(work) > 0 {
		s.last.Store(fmt.Sprintf("%+v %+v", work, q))
	}
	select {
	case s.looked <- struct{}{}:
	default: // nobody counts any more
	}
	return work, err
}

func (s *passes) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	res, err := s.Store.Claim(ctx, c)
	if res.Kind != store.ClaimNothing && res.Kind != store.ClaimExpired {
		s.claims.Add(1)
	}
	return res, err
}

// newNode is a worker that knows an agent which the lab's runner does not.
func (l *lab) newNode(store store.Store, agent adapter.Agent) *runner.Runner {
	l.t.Helper()
	r, err := runner.New(deaf{store}, &runner.Options{
		Agents: map[string]adapter.Agent{"": agent, "new": agent}, Lease: leaseInTests, Sweep: soon, MaxAttempts: 2,
	})
	if err != nil {
		l.t.Fatal(err)
	}
	l.abandon(r)
	return r
}

// While some nodes know an agent that others do not, its runs wait for one that
// does: one that does not is never given them.
func TestRunsOfAnAgentThatOnlyNewNodesKnow(t *testing.T) {
	says := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "one", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
			return err
		}
		return run.Say("hello")
	})
	in := func(label string) admission.Input {
		i := user("one")
		i.ThreadID, i.RunID = "thread", label
		return admission.Input{Namespace: "test", Agent: "new", Run: i}
	}
	setUp := func(t *testing.T) (*lab, *passes) {
		var counted *passes
		l := newLabOn(t, func(s store.Store) store.Store {
			counted = &passes{Store: s, looked: make(chan struct{}, 100)}
			return counted
		}, says)
		return l, counted
	}
	// wanted lets the old node look for work again and again, and then the new one come.
	wanted := func(t *testing.T, l *lab, counted *passes, run string, attempts int) {
		t.Helper()
		for range 10 {
			await(l, counted.looked)
		}
		if given, claims := counted.given.Load(), counted.claims.Load(); given != 0 || claims != 0 {
			t.Errorf("a node without the agent was given %d threads (%v), and has claimed %d", given, counted.last.Load(), claims)
		}
		info, err := l.runner.FindRun(l.ctx(), l.key, run)
		if err != nil || info.State != store.DispatchQueued && info.State != store.DispatchClaimed || info.Attempts > attempts {
			t.Errorf("%+v %v", info, err)
		}
		l.newNode(counted.Store, says)
		succeeded(t, l.untilEnd())
		l.wellFormed()
	}
	t.Run("queued", func(t *testing.T) {
		l, counted := setUp(t)
		gone := l.newNode(counted.Store, says)
		i := in("run-0")
		i.Dispatch.Available = time.Now().Add(time.Hour)
		a, err := gone.Submit(l.ctx(), i)
		if err != nil || a.Disposition != admission.Queued {
			t.Fatalf("%+v %v", a, err)
		}
		if err := gone.Shutdown(l.ctx()); err != nil {
			t.Fatal(err)
		}
		l.forward(time.Hour)
		wanted(t, l, counted, a.RunID, 0)
	})
	t.Run("taken over", func(t *testing.T) {
		l, counted := setUp(t)
		cut := l.cutBefore(counted.Store, "TEXT_MESSAGE_START")
		a, err := l.newNode(cut, says).Submit(l.ctx(), in("run-0"))
		if err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		await(l, cut.lost)
		wanted(t, l, counted, a.RunID, 1)
	})
}

// An execution that waits for answers is no business of a node that does not know
// its agent: whether it accepts the answers or finds that they are overdue, it
// leaves the rest to one that does.
func TestAnswersAndExpiriesOfAnAgentThatOnlyNewNodesKnow(t *testing.T) {
	asks := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		i := confirmation("go?")
		i.ExpiresAt = run.Now().Add(time.Hour).UTC().Format(time.RFC3339Nano)
		answers, err := run.Ask(ctx, adapter.OnExpiry(i, adapter.Expiry{Policy: adapter.ExpiryCancel}))
		if err != nil {
			return err
		}
		return run.Say(status(answers.Of[0]))
	})
	for name, test := range map[string]struct {
		patient bool
		expires bool
		open    int // in the end
		said    string
	}{
		"an answer waits":                         {patient: true, said: "resolved"},
		"an expiry waits":                         {patient: true, expires: true, said: "cancelled"},
		"an answer that nobody takes comes back":  {open: 1},
		"an expiry that nobody takes is the last": {expires: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var counted *passes
			l := newLabOn(t, func(s store.Store) store.Store {
				counted = &passes{Store: s, looked: make(chan struct{}, 100)}
				return counted
			}, asks,
				func(o *runner.Options) {
					if o.MaxAttempts = 2; !test.patient {
						o.AgentWait = -1
					}
				})
			i := user("one")
			i.ThreadID, i.RunID = "thread", "run-0"
			gone := l.newNode(counted.Store, asks)
			if a, err := gone.Submit(l.ctx(), admission.Input{Namespace: "test", Agent: "new", Run: i}); err != nil || a.Disposition != admission.Started {
				t.Fatalf("%+v %v", a, err)
			}
			open := interrupts(t, l.untilEnd())
			if err := gone.Shutdown(l.ctx()); err != nil {
				t.Fatal(err)
			}
			if test.expires {
				l.forward(time.Hour + time.Second)
			} else {
				l.begins(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
			}
			if test.patient {
				for range 10 {
					await(l, counted.looked)
				}
				if n := counted.claims.Load(); n != 0 {
					t.Errorf("a node without the agent has claimed it %d times", n)
				}
				l.newNode(counted.Store, asks)
				succeeded(t, l.untilEnd())
				if got := l.texts(); len(got) != 1 || got[0] != test.said {
					t.Errorf("said %q", got)
				}
			} else {
				failed := failedWith(t, l.untilEnd(), adapter.CodeAgentError)
				if want := `the agent "new" is not known to this server`; failed.Message != want {
					t.Errorf("%q, want %q", failed.Message, want)
				}
				l.theRun(store.DispatchDeadLetter)
			}
			l.wellFormed()
			if at, err := l.cursor.Attach(l.ctx(), nil); err != nil || len(at.Interrupts) != test.open {
				t.Errorf("%d interrupts are open, want %d: %v", len(at.Interrupts), test.open, err)
			}
		})
	}
}
