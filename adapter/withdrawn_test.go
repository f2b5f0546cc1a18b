package adapter_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
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

// illegible is a store of which questions cannot be read that go with their thread.
type illegible struct{ store.Store }

func (s illegible) DeleteTree(ctx context.Context, key store.ThreadKey, children store.DeleteChildren, by store.Deletion) (store.DeleteResult, error) {
	withdraw := by.Withdraw
	by.Withdraw = func(w store.Withdrawn) []store.Decided {
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
