package adapter_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/adaptertest"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// mortal is a node's way to the store until the node dies, before or behind one of its writes.
type mortal struct {
	store.Store
	behind bool

	mu   sync.Mutex
	left int // writes that it lives for
	dead bool
	died chan struct{}
}

func (m *mortal) alive() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return errCut
	}
	return nil
}

// while is a context that ends when the node has died.
func (m *mortal) while(l *lab) context.Context {
	ctx, cancel := context.WithCancel(l.ctx())
	go func() {
		defer cancel()
		select {
		case <-m.died:
		case <-ctx.Done():
		}
	}()
	return ctx
}

// lives reports whether a write is done, and whether its answer is heard.
func (m *mortal) lives() (done, heard bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.dead {
		return false, false
	}
	if m.left--; m.left < 0 {
		m.dead = true
		close(m.died)
		return m.behind, false
	}
	return true, true
}

func mortally[T any](m *mortal, call func() (T, error)) (none T, err error) {
	done, heard := m.lives()
	if !done {
		return none, errCut
	}
	v, err := call()
	if !heard {
		return none, errCut
	}
	return v, err
}

func (m *mortal) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	return mortally(m, func() (store.BeginResult, error) { return m.Store.Begin(ctx, b) })
}
func (m *mortal) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	return mortally(m, func() (store.CommitResult, error) { return m.Store.Commit(ctx, b) })
}
func (m *mortal) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	return sent(ctx, m, b, answered)
}
func (m *mortal) PutNode(ctx context.Context, key store.ThreadKey, c store.NodeChange) (*store.Node, error) {
	return mortally(m, func() (*store.Node, error) { return m.Store.PutNode(ctx, key, c) })
}
func (m *mortal) Stop(ctx context.Context, s store.Stop) (store.StopResult, error) {
	return mortally(m, func() (store.StopResult, error) { return m.Store.Stop(ctx, s) })
}
func (m *mortal) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if err := m.alive(); err != nil {
		return nil, err
	}
	return m.Store.Read(ctx, key, q)
}
func (m *mortal) Renew(ctx context.Context, c store.Claim) (bool, error) {
	if err := m.alive(); err != nil {
		return false, err
	}
	return m.Store.Renew(ctx, c)
}

// Such a node looks for nothing: what it does is what it has begun.
func (m *mortal) Work(context.Context, store.WorkQuery) ([]store.Work, error) { return nil, nil }
func (m *mortal) Await(context.Context, store.WorkQuery) ([]store.Work, error) {
	return nil, store.ErrCannotAwait
}

// crashStep is how many writes lie between two deaths of a crash test.
func crashStep() int {
	if testing.Short() {
		return 5
	}
	return 1
}

// toDie is a node of the lab that lives for some writes.
func (l *lab) toDie(writes int, behind bool, agent adapter.Agent, configure ...func(*runner.Options)) (*runner.Runner, *mortal) {
	l.t.Helper()
	m := &mortal{Store: l.store, left: writes, behind: behind, died: make(chan struct{})}
	patient := func(o *runner.Options) { o.StoreTimeout = time.Second } // beside the dead
	return l.worker(m, agent, append(configure, patient)...), m
}

// rests waits until nothing goes on in the thread any more, and something has. Leases and times
// run out when a node has died, and so seldom that the node that lives can go on.
func (l *lab) rests(m *mortal) *operate.Thread {
	l.t.Helper()
	ctx := l.ctx()
	for polls := 1; ; polls++ {
		th, err := l.runner.Thread(ctx, l.key)
		if err != nil {
			l.t.Fatal(err)
		}
		if th != nil && th.Active == "" && th.Open == nil && th.Queued == 0 && th.Latest != "" {
			return th
		}
		if polls%50 == 0 && m.alive() != nil {
			l.lapse()
		}
		time.Sleep(time.Millisecond)
	}
}

// Wherever a node dies that calls, the agent is begun once, and its caller gets what it came to.
func TestCallCrashPoints(t *testing.T) {
	adaptertest.EachCrash(t, func(t testing.TB) {
		worker := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if _, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
				return err
			}
			return run.Say("done")
		})
		b := adaptertest.New(t, restartable{lead("worker").Run}, agents(map[string]adapter.Agent{"worker": restartable{worker}}))
		if got := b.Send("hi").Text(); got != "it said done, and returned " {
			t.Errorf("text %q", got)
		}
		runs, _, err := b.Runner().FindRuns(t.Context(), operate.RunQuery{Namespace: b.Key().Namespace})
		if err != nil {
			t.Fatal(err)
		}
		begun := 0
		for _, r := range runs {
			if r.Origin == store.OriginChild {
				begun++
			}
		}
		if len(runs) != 3 || begun != 1 {
			t.Errorf("%d runs, of which %d were called", len(runs), begun)
		}
	})
}

// Wherever a node dies that cancels a caller, what was called is cancelled with it.
func TestCancelledCallCrashPoints(t *testing.T) {
	t.Parallel() // it waits for nodes that die
	for _, behind := range []bool{false, true} {
		for writes, lives := 0, false; !lives; writes += crashStep() {
			t.Run(fmt.Sprint(writes, " ", behind), func(t *testing.T) {
				agent, configure := chain()
				l := newLab(t, agent, configure...)
				middle := childOf(t, l.say("hi"))
				worker := l.below(middle)
				l.asks(worker)
				w, m := l.toDie(writes, behind, agent, configure...)
				cancelled := func(ctx context.Context, r *runner.Runner) error {
					_, err := r.Cancel(ctx, l.key, "run-1", admission.Actor{})
					return err
				}
				if cancelled(m.while(l), w) != nil {
					if err := cancelled(l.ctx(), l.runner); err != nil {
						t.Fatal(err)
					}
				}
				for _, thread := range []string{l.key.Thread, middle, worker} {
					on := l.on(thread)
					end := on.rests(m)
					if run, err := l.runner.FindRun(l.ctx(), on.key, end.Latest); err != nil || run.Result != operate.ResultCancelled {
						t.Errorf("%+v, %v", run, err)
					}
				}
				select {
				case <-m.died:
				default:
					lives = true
				}
			})
		}
	}
}
