package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// chain is a lead that calls a middle agent, which calls one that asks.
func chain(configure ...func(*runner.Options)) (adapter.Agent, []func(*runner.Options)) {
	return lead("middle"), append(configure, agents(map[string]adapter.Agent{"middle": lead("worker"), "worker": asker(confirmation("Really?"))}))
}

// below is the thread of what the thread has called, which must be waited for.
func (l *lab) below(thread string) string {
	l.t.Helper()
	for ctx := l.ctx(); ; time.Sleep(time.Millisecond) {
		th, err := l.runner.Thread(ctx, store.ThreadKey{Namespace: l.key.Namespace, Thread: thread})
		if err != nil {
			l.t.Fatal(err)
		}
		if th != nil && th.Open != nil && th.Open.Interrupts[0].By == store.AskedByCall {
			var shown protocol.Interrupt
			if err := json.Unmarshal(th.Open.Interrupts[0].Interrupt, &shown); err != nil {
				l.t.Fatal(err)
			}
			return waitedFor(l.t, shown)
		}
	}
}

// ends waits for the result of the latest run of a thread.
func (l *lab) ends(thread string) operate.RunResult {
	l.t.Helper()
	key := store.ThreadKey{Namespace: l.key.Namespace, Thread: thread}
	for ctx := l.ctx(); ; time.Sleep(time.Millisecond) {
		th, err := l.runner.Thread(ctx, key)
		if err != nil {
			l.t.Fatal(err)
		}
		if th == nil || th.Latest == "" || th.Active != "" || th.Open != nil {
			continue
		}
		run, err := l.runner.FindRun(ctx, key, th.Latest)
		if err != nil {
			l.t.Fatal(err)
		}
		return run.Result
	}
}

// Whatever ends a caller that waits ends what it has called, down to the last one.
func TestCancellingTheCallerCancelsTheCalled(t *testing.T) {
	for name, end := range map[string]func(l *lab) error{
		"cancel": func(l *lab) error {
			_, err := l.runner.Cancel(l.ctx(), l.key, "run-1", admission.Actor{User: "ann"})
			return err
		},
		"stop all": func(l *lab) error {
			_, err := l.runner.StopAll(l.ctx(), l.key, "", admission.Actor{User: "ann"})
			return err
		},
		"cancel what it waits for": func(l *lab) error {
			th, err := l.runner.Thread(l.ctx(), l.key)
			if err == nil {
				succeeded(l.t, l.answer(cancelled(th.Open.Interrupts[0].ID)))
			}
			if got := l.texts(); len(got) != 1 || got[0] != "withdrawn " {
				l.t.Errorf("texts %q", got)
			}
			return err
		},
		"another message": func(l *lab) error {
			a := l.submit(&protocol.RunAgentInput{RunID: "steer", Messages: protocol.Messages{{ID: "other", Role: protocol.RoleUser, Content: protocol.Text("no")}}})
			if a.Disposition != admission.Started {
				return errors.New(string(a.Disposition))
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			agent, configure := chain(func(o *runner.Options) { o.Unanswered = runner.UnansweredCancel })
			l := newLab(t, agent, configure...)
			middle := childOf(t, l.say("hi"))
			worker := l.below(middle)
			l.asks(worker)
			if err := end(l); err != nil {
				t.Fatal(err)
			}
			if got := []operate.RunResult{l.ends(middle), l.ends(worker)}; got[0] != operate.ResultCancelled || got[1] != operate.ResultCancelled {
				t.Errorf("what was called has come to %q", got)
			}
		})
	}
}

// What was called can be cancelled alone: its caller hears of it.
func TestCancellingTheCalledAnswersTheCaller(t *testing.T) {
	for name, end := range map[string]func(l *lab, child store.ThreadKey) error{
		"cancel": func(l *lab, child store.ThreadKey) error {
			_, err := l.runner.CancelWaiting(l.ctx(), child, admission.Actor{})
			return err
		},
		"delete": func(l *lab, child store.ThreadKey) error {
			_, err := l.runner.DeleteThread(l.ctx(), child, "", store.Origin{})
			return err
		},
		"another message": func(l *lab, child store.ThreadKey) error {
			in := user("no")
			in.ThreadID, in.RunID = child.Thread, "steer"
			_, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: child.Namespace, Agent: "worker", Run: in})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": asker(confirmation("Really?"))}),
				func(o *runner.Options) { o.Unanswered = runner.UnansweredCancel })
			child := childOf(t, l.say("hi"))
			l.asks(child)
			if err := end(l, store.ThreadKey{Namespace: l.key.Namespace, Thread: child}); err != nil {
				t.Fatal(err)
			}
			l.said("cancelled ")
		})
	}
}

// An active run that was called is stopped, too.
func TestCancellingACalledRunThatIsActive(t *testing.T) {
	started := make(chan struct{})
	l := newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		close(started)
		<-ctx.Done()
		return ctx.Err()
	})}))
	child := childOf(t, l.say("hi"))
	await(l, started)
	if _, err := l.runner.Cancel(l.ctx(), l.key, "run-1", admission.Actor{}); err != nil {
		t.Fatal(err)
	}
	if got := l.ends(child); got != operate.ResultCancelled {
		t.Errorf("it has come to %q", got)
	}
}

// A caller that is deleted with all below it leaves nothing. Otherwise it stays while it waits.
func TestDeletingTheCaller(t *testing.T) {
	agent, configure := chain()
	l := newLab(t, agent, configure...)
	middle := childOf(t, l.say("hi"))
	worker := l.below(middle)
	l.asks(worker)
	for _, how := range []store.DeleteChildren{store.DeleteReject, store.DeleteDetach} {
		if res, err := l.runner.DeleteTree(l.ctx(), l.key, how, "", store.Origin{}); err != nil || res.Deleted {
			t.Fatalf("%s: %+v, %v", how, res, err)
		}
	}
	if res, err := l.runner.DeleteTree(l.ctx(), l.key, store.DeleteCascade, "", store.Origin{}); err != nil || !res.Deleted {
		t.Fatalf("%+v, %v", res, err)
	}
	for _, thread := range []string{l.key.Thread, middle, worker} {
		for ctx := l.ctx(); ; time.Sleep(time.Millisecond) {
			th, err := l.runner.Thread(ctx, store.ThreadKey{Namespace: l.key.Namespace, Thread: thread})
			if err != nil {
				t.Fatal(err)
			}
			if th == nil || th.Latest == "" {
				break
			}
			l.runner.FinishDeletes(ctx)
		}
	}
}

// What is to begin when its caller is cancelled does not: its agent is not called.
func TestCallThatBeginsAfterItsCallerIsCancelled(t *testing.T) {
	times := 0
	var l *lab
	cancelled := make(chan error, 1)
	l = newLab(t, lead("worker"), agents(map[string]adapter.Agent{"worker": echo(&times)}), func(o *runner.Options) {
		o.Hook = func(at string) {
			if at == "before_child" {
				_, err := l.runner.Cancel(context.Background(), l.key, "run-1", admission.Actor{})
				cancelled <- err
			}
		}
	})
	child := childOf(t, l.say("hi"))
	if err := await(l, cancelled); err != nil {
		t.Fatal(err)
	}
	if got := l.ends(child); got != operate.ResultCancelled || times != 0 {
		t.Errorf("it has come to %q, after %d calls", got, times)
	}
}

// A run that is given up before it has ended what it was to end has ended it all the same.
func TestGivenUpBeforeItEndedTheCalled(t *testing.T) {
	for name, ends := range map[string]struct {
		before int // writes until the run has begun that ends it
		end    func(ctx context.Context, l *lab, node *runner.Runner) error
	}{
		"cancel": {1, func(ctx context.Context, l *lab, node *runner.Runner) error {
			_, err := node.Cancel(ctx, l.key, "run-1", admission.Actor{User: "ann"})
			return err
		}},
		"another message": {0, func(ctx context.Context, l *lab, node *runner.Runner) error {
			in := user("no")
			in.ThreadID, in.RunID = l.key.Thread, "steer"
			_, err := node.Submit(ctx, admission.Input{Namespace: l.key.Namespace, Run: in})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			agent, configure := chain(func(o *runner.Options) { o.Unanswered, o.MaxAttempts = runner.UnansweredCancel, 1 })
			away := &outOfReach{}
			l := newLabOn(t, func(s store.Store) store.Store { away.Store = s; return away }, agent, configure...)
			middle := childOf(t, l.say("hi"))
			worker := l.below(middle)
			l.asks(worker)
			lost, m := l.toDie(ends.before, true, agent, configure...)
			if err := ends.end(m.while(l), l, lost); err == nil {
				t.Fatal("it lives")
			}
			away.thread.Store(&middle) // while the next node looks
			l.lapse()
			for ctx, given, polls := l.ctx(), 0, 1; given == 0; polls++ {
				time.Sleep(time.Millisecond)
				runs, err := l.runner.Runs(ctx, l.key, store.DispatchQuery{States: []store.DispatchState{store.DispatchDeadLetter}})
				if err != nil {
					t.Fatal(err)
				}
				if given = len(runs); away.times.Load() > 1 {
					away.thread.Store(nil)
				}
				if polls%50 == 0 {
					l.forward(leaseInTests / 2)
				}
			}
			away.thread.Store(nil)
			if got := []operate.RunResult{l.ends(middle), l.ends(worker)}; got[0] != operate.ResultCancelled || got[1] != operate.ResultCancelled {
				t.Errorf("what was called has come to %q", got)
			}
		})
	}
}

// So has one that is stopped before it has, whoever stops it.
func TestStoppedBeforeItEndedTheCalled(t *testing.T) {
	for name, stop := range map[string]func(l *lab, id string) (admission.Cancelled, error){
		"cancel": func(l *lab, _ string) (admission.Cancelled, error) {
			return l.runner.Cancel(l.ctx(), l.key, "steer", admission.Actor{})
		},
		"cancel by id": func(l *lab, id string) (admission.Cancelled, error) {
			return l.runner.CancelRun(l.ctx(), l.key, id, "", admission.Actor{})
		},
		"its client has left": func(l *lab, id string) (admission.Cancelled, error) {
			l.cursor.Close()
			l.forward(2 * time.Minute)
			return l.runner.CancelLeft(l.ctx(), l.key, id, "steer", 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			agent, configure := chain(func(o *runner.Options) { o.Unanswered, o.Sweep = runner.UnansweredCancel, time.Hour })
			l := newLab(t, agent, configure...)
			middle := childOf(t, l.say("hi"))
			worker := l.below(middle)
			l.asks(worker)
			lost, m := l.toDie(0, true, agent, configure...)
			in := user("no")
			in.ThreadID, in.RunID = l.key.Thread, "steer"
			if _, err := lost.Submit(m.while(l), admission.Input{Namespace: l.key.Namespace, Run: in}); err == nil {
				t.Fatal("it lives")
			}
			th, err := l.runner.Thread(l.ctx(), l.key)
			if err != nil || th.Active == "" {
				t.Fatalf("%+v, %v", th, err)
			}
			if c, err := stop(l, th.Active); err != nil || !c.Stopped {
				t.Fatalf("%+v, %v", c, err)
			}
			if got := []operate.RunResult{l.ends(middle), l.ends(worker)}; got[0] != operate.ResultCancelled || got[1] != operate.ResultCancelled {
				t.Errorf("what was called has come to %q", got)
			}
		})
	}
}

// outOfReach is a way to the store on which a thread is out of reach for a while.
type outOfReach struct {
	store.Store
	thread atomic.Pointer[string]
	times  atomic.Int32
}

func (u *outOfReach) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	if at := u.thread.Load(); at != nil && *at == key.Thread {
		u.times.Add(1)
		return nil, store.ErrOutcomeUnknown
	}
	return u.Store.Read(ctx, key, q)
}
