package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
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
