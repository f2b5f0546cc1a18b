package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

var byOperator = store.Origin{Through: store.ThroughOperator, Credential: "token-of-bob"}

// Who deletes a thread is on record as having cancelled what was open in it, as it was shown
// and without what is redacted.
func TestDeletionIsOnRecord(t *testing.T) {
	var done []string
	l := newLab(t, caller(pay(&done, `{"card":4711,"amount":1}`, adapter.PolicyAsk)), func(o *runner.Options) {
		o.Redact = []adapter.Redaction{{Tool: "pay", Pointer: "/card"}}
	})
	open := interrupts(t, l.say("hi"))[0]
	if res, err := l.runner.DeleteTree(l.ctx(), l.key, store.DeleteCascade, bob, byOperator); err != nil || !res.Deleted {
		t.Fatalf("%+v %v", res, err)
	}
	d := l.decided()
	if d.Interrupt != open.ID || d.Status != store.DecisionCancelled || d.User != bob || d.Tool != "pay" || d.RunID != "" || d.Origin != byOperator {
		t.Errorf("%+v", d)
	}
	if d.Message != open.Message || d.ToolCallID != open.ToolCallID || d.AskedBy.Label != "run-1" || d.AnsweredBy != (store.DecisionRun{}) ||
		!sameJSON(t, string(d.Arguments), `{"card":"[redacted]","amount":1}`) {
		t.Errorf("the body is %s", d.Body)
	}
	if len(done) > 0 {
		t.Errorf("carried out: %q", done)
	}
}

// A thread that waits is deleted with what it waits for: its agent is not called again, and who
// answers later is told.
func TestDeletingAThreadThatWaits(t *testing.T) {
	times := 0
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		times++
		_, err := run.Ask(ctx, confirmation("?"))
		return err
	}))
	open := interrupts(t, l.say("hi"))[0]
	if ok, err := l.runner.DeleteThread(l.ctx(), l.key, bob, byOperator); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if d := l.decided(); d.Interrupt != open.ID || d.Status != store.DecisionCancelled || d.User != bob || d.Origin != byOperator {
		t.Errorf("%+v", d)
	}
	a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open.ID, "1")}})
	if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodeUnknownInterrupt || !strings.Contains(a.Refusal.Message, "deleted") {
		t.Errorf("a late answer: %+v", a.Refusal)
	}
	if times != 1 {
		t.Errorf("the agent was called %d times", times)
	}
}

// Nothing is left of an agent that has waited in memory.
func TestDeletingAThreadThatWaitsInMemory(t *testing.T) {
	left := make(chan error, 1)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := run.Ask(ctx, confirmation("?"))
		left <- err
		return err
	}), blocking)
	interrupts(t, l.say("hi"))
	if ok, err := l.runner.DeleteThread(l.ctx(), l.key, bob, byOperator); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if err := await(l, left); !errors.Is(err, adapter.ErrStopped) {
		t.Errorf("the agent was told %v", err)
	}
}

// illegible is a store of which questions cannot be read that go with their thread.
type illegible struct{ store.Store }

func (s illegible) DeleteTree(ctx context.Context, key store.ThreadKey, children store.DeleteChildren, by store.Deletion) (store.DeleteResult, error) {
	withdraw := by.Withdraw
	by.Withdraw = func(w store.Withdrawn) ([]store.Decided, bool) {
		w.Suspension = json.RawMessage(`{"items":[`)
		return withdraw(w)
	}
	return s.Store.DeleteTree(ctx, key, children, by)
}

// Of a question that cannot be read any more it is on record that it was open, and who has
// cancelled it.
func TestDeletionOfWhatCannotBeReadIsOnRecord(t *testing.T) {
	var done []string
	l := newLabOn(t, func(s store.Store) store.Store { return illegible{s} }, caller(pay(&done, `{}`, adapter.PolicyAsk)))
	open := interrupts(t, l.say("hi"))[0]
	if res, err := l.runner.DeleteTree(l.ctx(), l.key, store.DeleteCascade, bob, byOperator); err != nil || !res.Deleted {
		t.Fatalf("%+v %v", res, err)
	}
	if d := l.decided(); d.Interrupt != open.ID || d.Status != store.DecisionCancelled || d.User != bob || d.Origin != byOperator {
		t.Errorf("%+v", d)
	}
}
