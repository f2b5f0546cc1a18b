package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// faulty is a way to the store on which calls fail, or are watched.
type faulty struct {
	store.Store
	due    func() error
	claim  func(store.ClaimRequest) error
	renew  func()
	start  func()
	retire func() bool
	nack   func(store.Nack)
	bury   func() error
	cut    func() error
}

func (s *faulty) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	if s.due != nil {
		if err := s.due(); err != nil {
			return nil, err
		}
	}
	return s.Store.Work(ctx, q)
}

func (s *faulty) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	if s.claim != nil {
		if err := s.claim(c); err != nil {
			return store.ClaimResult{}, err
		}
	}
	return s.Store.Claim(ctx, c)
}

func (s *faulty) Renew(ctx context.Context, c store.Claim) (bool, error) {
	kept, err := s.Store.Renew(ctx, c)
	if s.renew != nil && kept {
		s.renew()
	}
	return kept, err
}

func (s *faulty) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	if s.start != nil {
		s.start()
	}
	return s.Store.Activate(ctx, a)
}

func (s *faulty) Retire(ctx context.Context) (bool, error) {
	if s.retire != nil {
		return s.retire(), nil
	}
	return s.Store.Retire(ctx)
}

func (s *faulty) Nack(ctx context.Context, n store.Nack) (store.NackResult, error) {
	if s.nack != nil {
		s.nack(n)
	}
	return s.Store.Nack(ctx, n)
}

func (s *faulty) Bury(ctx context.Context, n store.Nack) (store.NackResult, error) {
	if s.bury != nil {
		if err := s.bury(); err != nil {
			return store.NackResult{}, err
		}
	}
	return s.Store.Bury(ctx, n)
}

func (s *faulty) StopAll(ctx context.Context, i store.StopAll) (store.StopAllResult, error) {
	if s.cut != nil {
		if err := s.cut(); err != nil {
			return store.StopAllResult{}, err
		}
	}
	return s.Store.StopAll(ctx, i)
}

var errFault = errors.New("the store is unwell")

// failsFirst fails the first n times.
func failsFirst(n int32) func() error {
	var calls atomic.Int32
	return func() error {
		if calls.Add(1) <= n {
			return errFault
		}
		return nil
	}
}

// counting says what it was asked, and counts itself by thread and text.
func counting() (adapter.Agent, *sync.Map) {
	ran := new(sync.Map)
	return adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		n, _ := ran.LoadOrStore(run.Input().ThreadID+"/"+m[len(m)-1].Content.String(), new(atomic.Int32))
		n.(*atomic.Int32).Add(1)
		return run.Say("done")
	}), ran
}

// leftBehind is a lab on whose thread an input waits that no worker has seen:
// the worker that took it in was lost with the run before it.
func leftBehind(t *testing.T, agent adapter.Agent) *lab {
	l := newLab(t, agent)
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	w := l.worker(lostAtOnce{l.store, held}, agent)
	l.beginOn(w, "lost", "run-lost")
	await(l, held)
	in := user("waiting")
	in.ThreadID, in.RunID = l.key.Thread, "run-waiting"
	if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || a.Disposition != admission.Queued {
		t.Fatalf("%s %+v %v", a.Disposition, a.Refusal, err)
	}
	l.lapse()
	return l
}

// lostAtOnce is a way to the store of a worker that is lost when its run has
// begun: nothing that it writes or renews arrives any more.
type lostAtOnce struct {
	store.Store
	held chan struct{}
}

func (s lostAtOnce) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	res, err := s.Store.Begin(ctx, b)
	if err == nil && b.Claimed() != nil {
		close(s.held)
	}
	return res, err
}

func (lostAtOnce) Commit(context.Context, store.Batch) (store.CommitResult, error) {
	return store.CommitResult{}, errCut
}

func (lostAtOnce) Renew(ctx context.Context, _ store.Claim) (bool, error) { return false, errFault }

func (lostAtOnce) HandBack(context.Context, store.Claim) error { return errFault }

func (lostAtOnce) Claim(context.Context, store.ClaimRequest) (store.ClaimResult, error) {
	return store.ClaimResult{}, errFault
}

// restart makes an agent one that may be begun again.
type restart struct{ adapter.Agent }

func (restart) Restartable() bool { return true }

var recoveryBehaviours = []behaviour{
	{"a recovery that fails is tried again", func(t *testing.T) {
		agent, ran := counting()
		l := leftBehind(t, restart{agent})
		l.store = &faulty{Store: l.store, due: failsFirst(3)}
		l.replace(restart{agent})
		l.untilLabel("run-waiting")
		if n, _ := ran.Load("thread/waiting"); n == nil || n.(*atomic.Int32).Load() != 1 {
			t.Error("the input that waited was not carried once")
		}
	}},
	{"of several nodes that recover at once one carries each run", func(t *testing.T) {
		agent, ran := counting()
		l := leftBehind(t, restart{agent})
		l.replace(restart{agent})
		for range 3 {
			l.node(restart{agent})
		}
		l.untilLabel("run-waiting")
		l.wellFormed()
		// The worker that was lost had called its agent once.
		for text, want := range map[string]int32{"thread/lost": 2, "thread/waiting": 1} {
			if n, _ := ran.Load(text); n == nil || n.(*atomic.Int32).Load() != want {
				t.Errorf("%s was not run %d times", text, want)
			}
		}
	}},
	{"a runner may be shut down twice, and another goes on after it", func(t *testing.T) {
		agent, _ := counting()
		l := newLab(t, agent)
		succeeded(t, l.say("one"))
		for range 2 {
			if err := l.runner.Shutdown(l.ctx()); err != nil {
				t.Error(err)
			}
		}
		l.replace(agent)
		succeeded(t, l.say("two"))
	}},
	{"shutting down waits for a sweep that is under way", func(t *testing.T) {
		agent, _ := counting()
		entered, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		l := newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, due: func() error {
				once.Do(func() { close(entered) })
				<-release
				return nil
			}}
		}, agent)
		await(l, entered)
		down := make(chan error, 1)
		go func() { down <- l.runner.Shutdown(context.Background()) }()
		wait := l.probe(l.runner)
		wait()
		select {
		case err := <-down:
			t.Errorf("shut down during a sweep: %v", err)
		default:
		}
		close(release)
		if err := await(l, down); err != nil {
			t.Error(err)
		}
	}},
	{"what is old is retired by the sweep, for as long as there is more", func(t *testing.T) {
		agent, _ := counting()
		var calls atomic.Int32
		done := make(chan struct{})
		l := newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, retire: func() bool {
				n := calls.Add(1)
				if n == 3 {
					close(done)
				}
				return n < 3
			}}
		}, agent)
		await(l, done)
		succeeded(t, l.say("hi"))
		if n := calls.Load(); n != 3 {
			t.Errorf("%d calls", n)
		}
	}},
	{"work that waited before the start is run", func(t *testing.T) {
		agent, ran := counting()
		l := leftBehind(t, restart{agent})
		l.replace(restart{agent})
		l.untilLabel("run-waiting")
		if n, _ := ran.Load("thread/waiting"); n == nil || n.(*atomic.Int32).Load() != 1 {
			t.Error("the input that waited was not carried once")
		}
		l.wellFormed()
	}},
	{"what has ended is not run again by a recovery", func(t *testing.T) {
		agent, ran := counting()
		l := newLab(t, agent)
		succeeded(t, l.say("one"))
		var sweeps atomic.Int32
		swept := make(chan struct{})
		if err := l.runner.Shutdown(l.ctx()); err != nil {
			t.Fatal(err)
		}
		l.store = &faulty{Store: l.store, due: func() error {
			if sweeps.Add(1) == 3 {
				close(swept)
			}
			return nil
		}}
		l.replace(agent)
		await(l, swept)
		succeeded(t, l.say("two"))
		if n, _ := ran.Load("thread/one"); n.(*atomic.Int32).Load() != 1 {
			t.Error("it was run again")
		}
	}},
	{"a recovery leaves threads that wait for a human alone", func(t *testing.T) {
		var calls atomic.Int32
		agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			calls.Add(1)
			_, err := run.Ask(ctx, confirmation("?"))
			return err
		})
		l := newLab(t, agent)
		open := interrupts(t, l.say("hi"))
		if err := l.runner.Shutdown(l.ctx()); err != nil {
			t.Fatal(err)
		}
		var sweeps atomic.Int32
		swept := make(chan struct{})
		l.store = &faulty{Store: l.store, due: func() error {
			if sweeps.Add(1) == 3 {
				close(swept)
			}
			return nil
		}}
		l.replace(agent)
		await(l, swept)
		if n := calls.Load(); n != 1 {
			t.Errorf("the agent was called %d times", n)
		}
		succeeded(t, l.answer(resolved(open[0].ID, "1")))
	}},
	{"a lease is renewed for as long as the run takes, so that nobody takes it over", func(t *testing.T) {
		agent, gate := gated()
		renewed := make(chan struct{}, 100)
		often := func(o *runner.Options) { o.Lease = 400 * time.Millisecond }
		l := newLabOn(t, func(s store.Store) store.Store {
			return &faulty{Store: s, renew: func() { renewed <- struct{}{} }}
		}, agent, often)
		l.node(agent) // it sweeps all the time, and would take the run over
		l.submit(user("one"))
		for range 3 { // longer than a lease
			await(l, renewed)
			l.forward(leaseInTests * 2 / 5)
		}
		await(l, renewed)
		close(gate)
		succeeded(t, l.untilEnd())
		if got := l.texts(); fmt.Sprint(got) != "[begun ended]" {
			t.Errorf("texts %q", got)
		}
	}},
}

// untilLabel waits for the end of the run with the label.
func (l *lab) untilLabel(label string) {
	l.t.Helper()
	open := ""
	l.until(func(e protocol.Event) bool {
		if started, ok := e.(*protocol.RunStarted); ok {
			open = started.RunID
		}
		return isEnd(e) && open == label
	})
}

// probe returns a wait until the runner admits nothing more.
func (l *lab) probe(r *runner.Runner) func() {
	return func() {
		l.t.Helper()
		in := user("probe")
		in.ThreadID, in.RunID = l.key.Thread, "probe"
		for {
			a, err := r.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Agent: "nobody", Run: in})
			if err != nil || a.Disposition != admission.Refused {
				l.t.Fatalf("%s %v", a.Disposition, err)
			}
			if a.Refusal.Code == adapter.CodeServerDraining {
				return
			}
		}
	}
}
