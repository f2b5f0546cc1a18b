package adapter_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// durable is a store that says it outlives its process and that another node takes
// runs, so that a runner that drains hands its own back.
type durable struct{ store.Store }

func (durable) Durable() bool { return true }

func (durable) Takers(_ context.Context, agents []string) ([]int, error) {
	return slices.Repeat([]int{1}, len(agents)), nil
}

func onDurable(s store.Store) store.Store { return durable{s} }

// drain begins to shut the runner down, and returns when it admits nothing
// more. What it returns waits for the end.
func (l *lab) drain() (wait func()) {
	l.t.Helper()
	ctx, r, down := l.ctx(), l.runner, make(chan error, 1)
	go func() { down <- r.Shutdown(ctx) }()
	probe := user("probe")
	probe.ThreadID, probe.RunID = l.key.Thread, "probe"
	for {
		a, err := r.Submit(ctx, admission.Input{Namespace: l.key.Namespace, Agent: "nobody", Run: probe})
		if err != nil || a.Disposition != admission.Refused {
			l.t.Fatalf("%s %v", a.Disposition, err)
		}
		if a.Refusal.Code == adapter.CodeServerDraining {
			break
		}
	}
	return func() {
		l.t.Helper()
		if err := await(l, down); err != nil {
			l.t.Fatal(err)
		}
	}
}

// A draining worker finishes a run that may finish, and refuses new ones.
func TestShutdownLetsRunsFinish(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.submit(user("one"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	wait := l.drain()
	close(gate)
	wait()
	succeeded(t, l.untilEnd())
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Errorf("second shutdown: %v", err)
	}
}

// heldBegin is a store that holds an admission back until it is let.
type heldBegin struct {
	store.Store
	reached, goOn chan struct{}
}

func (s *heldBegin) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	s.reached <- struct{}{}
	<-s.goOn
	return s.Store.Begin(ctx, b)
}

// Shutdown waits for an input that is being admitted, and for its run.
func TestShutdownWaitsForAdmission(t *testing.T) {
	held := &heldBegin{reached: make(chan struct{}, 1), goOn: make(chan struct{})}
	l := newLabOn(t, func(s store.Store) store.Store { held.Store = s; return held },
		adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("hello") }))
	in := user("hi")
	in.ThreadID, in.RunID = l.key.Thread, "run-1"
	ctx, admitted := l.ctx(), make(chan admission.Admitted, 1)
	go func() {
		a, err := l.runner.Submit(ctx, admission.Input{Namespace: l.key.Namespace, Run: in})
		if err != nil {
			t.Error(err)
		}
		admitted <- a
	}()
	await(l, held.reached)
	wait := l.drain()
	close(held.goOn)
	if a := await(l, admitted); a.Disposition != admission.Started {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	wait()
	succeeded(t, l.untilEnd())
}

// A worker that drains hands a run back at its next step; another goes on with
// it, and does nothing again.
func TestDrainHandsBackAtAStep(t *testing.T) {
	reached, goOn := make(chan string, 3), make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for _, name := range []string{"one", "two"} {
			_, err := adapter.Step(ctx, run, name, func(context.Context) (bool, error) {
				reached <- name
				<-goOn
				return true, nil
			})
			if err != nil {
				return err
			}
		}
		return run.Say("done")
	})
	l := newLabOn(t, onDurable, agent)
	l.submit(user("hi"))
	await(l, reached)
	wait := l.drain()
	close(goOn)
	wait()
	if n := len(reached); n != 0 {
		t.Errorf("the draining worker began %d more steps", n)
	}
	l.replace(agent)
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if name := await(l, reached); name != "two" || len(reached) != 0 {
		t.Errorf("the other worker ran step %s and %d more", name, len(reached))
	}
	if got := l.texts(); len(got) != 1 || got[0] != "done" {
		t.Errorf("texts %q", got)
	}
}

// A step that is in flight in one branch is recorded before the run is handed
// back at a step of another.
func TestDrainBesideAStep(t *testing.T) {
	inside, leave := make(chan struct{}), make(chan struct{})
	goOn, left := make(chan struct{}), make(chan struct{})
	calls, paid := new(atomic.Int32), new(atomic.Int32)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		first := calls.Add(1) == 1
		return adapter.Parallel(ctx, run,
			func(ctx context.Context, run *adapter.Run) error {
				_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int32, error) {
					if first {
						close(inside)
						<-goOn
					}
					return paid.Add(1), nil
				})
				return err
			},
			func(ctx context.Context, run *adapter.Run) error {
				if first {
					<-leave
					defer close(left)
				}
				_, err := adapter.Step(ctx, run, "other", func(context.Context) (bool, error) {
					if first {
						t.Error("the draining worker began a step")
					}
					return true, nil
				})
				return err
			})
	})
	l := newLabOn(t, onDurable, agent)
	l.submit(user("hi"))
	await(l, inside)
	wait := l.drain()
	close(leave)
	await(l, left)
	close(goOn)
	wait()
	l.replace(agent)
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if calls.Load() != 2 || paid.Load() != 1 {
		t.Errorf("%d calls paid %d times", calls.Load(), paid.Load())
	}
}

// A run that has recorded nothing, and whose agent cannot be restarted, is not
// handed back: nobody could go on with it.
func TestDrainBeforeTheFirstStep(t *testing.T) {
	begun, goOn, calls := make(chan struct{}), make(chan struct{}), new(atomic.Int32)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if calls.Add(1) == 1 {
			close(begun)
		}
		<-goOn
		_, err := adapter.Step(ctx, run, "a", func(context.Context) (int, error) { return 1, nil })
		return err
	})
	l := newLabOn(t, onDurable, agent)
	l.submit(user("hi"))
	await(l, begun)
	wait := l.drain()
	close(goOn)
	wait()
	l.replace(agent)
	succeeded(t, l.untilEnd())
	if n := calls.Load(); n != 1 {
		t.Errorf("the agent was called %d times", n)
	}
}

// A run may be handed back again and again, inside a subagent too.
func TestDrainTwiceInASubagent(t *testing.T) {
	gates, ran := make(chan chan struct{}, 3), new(atomic.Int32)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.Step(ctx, run, "a", func(context.Context) (int, error) { return 1, nil }); err != nil {
			return err
		}
		return run.Delegate("helper", "", func(string) error {
			gate := make(chan struct{})
			gates <- gate
			<-gate
			_, err := adapter.Step(ctx, run, "b", func(context.Context) (int32, error) { return ran.Add(1), nil })
			return err
		})
	})
	l := newLabOn(t, onDurable, agent)
	l.submit(user("hi"))
	for range 2 {
		gate := await(l, gates)
		wait := l.drain()
		close(gate)
		wait()
		l.replace(agent)
	}
	close(await(l, gates))
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if n := ran.Load(); n != 1 {
		t.Errorf("the step ran %d times", n)
	}
}
