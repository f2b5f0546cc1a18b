package adapter_test

import (
	"context"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
)

// Who is asked what became of a call is told which it was, with what, and by which key it can
// be looked up elsewhere, whether its connection broke or its server was lost.
func TestUncertainCallsAreTold(t *testing.T) {
	for _, lost := range []bool{false, true} {
		var dying *cutStore
		var key string
		agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.CallTools(ctx, run, adapter.ToolCall{
				ID: "c", Name: "pay", Args: rawJSON(`{"to":"ann","card":{"number":1}}`), Policy: adapter.PolicyAllow,
				Do: func(_ context.Context, c adapter.Invocation) (rawJSON, error) {
					key = c.IdempotencyKey
					if lost {
						dying.sever()
						return rawJSON("{}"), nil
					}
					return nil, &adapter.UncertainError{Message: "the line is dead"}
				},
			})
			return err
		})
		l := newLab(t, agent, func(o *runner.Options) { o.RedactLists = []adapter.Redaction{{Tool: "pay", Pointer: "/card/number"}} })
		if lost {
			dying = l.cutAfter(l.store, -1)
			l.beginOn(l.worker(dying, agent), "hi", "run-0")
		} else {
			l.submit(user("hi"))
		}
		open := interrupts(t, l.untilEnd())
		for _, want := range []string{"The call of pay was begun, and nobody knows whether it took effect: ", `Call: pay {`, `"to":"ann"`, "Idempotency key: " + key} {
			if !strings.Contains(open[0].Message, want) {
				t.Errorf("lost %v: no %q in %q", lost, want, open[0].Message)
			}
		}
		if own := string(open[0].Metadata["aguiws"]); !strings.Contains(own, `"idempotencyKey":"`+key+`"`) || !strings.Contains(own, `"name":"pay"`) {
			t.Errorf("lost %v: metadata %s", lost, own)
		}
		if answers := string(open[0].Metadata["answers"]); !strings.Contains(answers, `"label":"Do it again"`) {
			t.Errorf("lost %v: answers %s", lost, answers)
		}
	}
}
