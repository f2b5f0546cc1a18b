package adapter_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// tellsSender asks once, and says each time who has sent what it answers.
func tellsSender(ctx context.Context, run *adapter.Run) error {
	who := fmt.Sprint(run.User(), " of ", run.Tenant())
	if err := run.Say(who); err != nil {
		return err
	}
	if _, err := run.Ask(ctx, confirmation("ok?")); err != nil {
		return err
	}
	return run.Say("still " + run.User() + " of " + run.Tenant())
}

// sentBy submits an input of a user's through a worker.
func (l *lab) sentBy(w *runner.Runner, user, tenant string, in *protocol.RunAgentInput) {
	l.t.Helper()
	l.runs++
	in.ThreadID, in.RunID = l.key.Thread, fmt.Sprintf("run-%d", l.runs)
	a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: tenant, User: user, Run: in})
	if err != nil || a.Refusal != nil {
		l.t.Fatalf("%+v %v", a.Refusal, err)
	}
}

// An execution is its first sender's, whoever answers and wherever it goes on. In a namespace
// that tenants share it has the tenant of its sender, not the thread's.
func TestSender(t *testing.T) {
	agent := restartable{adapter.AgentFunc(tellsSender).Run}
	l := newLab(t, agent)
	l.sentBy(l.runner, "globex/carl", "globex", user("hi"))
	l.answerAs(bob, "acme", interrupts(t, l.untilEnd()))
	l.sentBy(l.worker(l.cutBefore(l.store, protocol.TypeTextMessageContent), agent), ann, "acme", user("hello"))
	open := interrupts(t, l.untilEnd())
	l.sentBy(l.worker(l.cutBefore(l.store, protocol.TypeTextMessageContent), agent), bob, "globex", resumes(open[0].ID))
	succeeded(t, l.untilEnd())
	want := []string{"globex/carl of globex", "still globex/carl of globex", "acme/ann of acme", "still acme/ann of acme"}
	if got := l.texts(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

func (l *lab) answerAs(user, tenant string, open []protocol.Interrupt) {
	l.t.Helper()
	l.sentBy(l.runner, user, tenant, resumes(open[0].ID))
	succeeded(l.t, l.untilEnd())
}

// What waits in the queue is its sender's when it begins, and what was called its caller's.
func TestSenderOfWhatWaitedAndWasCalled(t *testing.T) {
	first, gate := gated()
	say := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say(run.User() + " of " + run.Tenant()) })
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if run.ClientRunID() == "run-1" {
			return first.Run(ctx, run)
		}
		called, err := run.Call(ctx, "worker", adapter.CallInput{Text: "work"})
		if err != nil {
			return err
		}
		return run.Say(called.Text)
	}), agents(map[string]adapter.Agent{"worker": say}))
	l.sentBy(l.runner, "globex/carl", "globex", user("hi"))
	l.sentBy(l.runner, ann, "acme", user("hello"))
	close(gate)
	for range 3 {
		l.untilEnd()
	}
	if got := l.texts(); got[len(got)-1] != "acme/ann of acme" {
		t.Errorf("told %q", got)
	}
}
