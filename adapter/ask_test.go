package adapter_test

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// What an agent passes to Ask and CallTools stays as it is, so that runs of
// several threads may share it.
func TestSharedSlices(t *testing.T) {
	questions := []protocol.Interrupt{confirmation("?")}
	calls := []adapter.ToolCall{{Name: "pay", Do: func(context.Context, adapter.Invocation) (rawJSON, error) { return rawJSON("1"), nil }}}
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, questions...); err != nil {
			return err
		}
		_, err := adapter.CallTools(ctx, run, calls...)
		return err
	}))
	threads := []*lab{l, l.on("another")}
	for _, l := range threads {
		l.submit(user("hi"))
	}
	for _, l := range threads {
		open := interrupts(t, l.untilEnd())
		l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")}})
	}
	one, another := interrupts(t, threads[0].untilEnd()), interrupts(t, threads[1].untilEnd())
	if one[0].ToolCallID == another[0].ToolCallID {
		t.Errorf("two threads share the call %s", one[0].ToolCallID)
	}
	if questions[0].ID != "" || calls[0].ID != "" {
		t.Errorf("the agent's own were changed: %+v %+v", questions, calls)
	}
}
