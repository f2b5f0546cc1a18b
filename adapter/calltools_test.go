package adapter_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// A call that the agent has shown already is not announced again, neither when it is asked
// about nor in the replay; its question has the reason that was given.
func TestAnnouncedCall(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		id, err := adapter.StepWith(ctx, run, "model", adapter.StepOptions{Idempotent: true}, func(context.Context) (string, error) {
			id := run.NewID()
			return id, run.Emit(
				&protocol.ToolCallStart{ToolCallID: id, ToolCallName: "book"},
				&protocol.ToolCallArgs{ToolCallID: id, Delta: `{"people"`}, &protocol.ToolCallArgs{ToolCallID: id, Delta: `:2}`},
				&protocol.ToolCallEnd{ToolCallID: id})
		})
		if err != nil {
			return err
		}
		_, err = adapter.CallTools(ctx, run, adapter.ToolCall{
			ID: id, Announced: true, Name: "book", Args: json.RawMessage(`{"people":2}`), Reason: protocol.ReasonInputRequired,
			Mode: adapter.PassDecisionToTool, ResponseSchema: protocol.Any(`{"type":"object"}`),
			Do: func(_ context.Context, call adapter.Invocation) (json.RawMessage, error) {
				payload, _ := call.Decision.Payload()
				return payload, nil
			},
		})
		return err
	}))
	open := interrupts(t, l.say("hi"))
	if len(open) != 1 || open[0].Reason != protocol.ReasonInputRequired || open[0].ToolCallID == "" {
		t.Fatalf("asked %+v", open)
	}
	succeeded(t, l.answer(resolved(open[0].ID, `{"people":3}`)))
	l.wellFormed()
	starts := 0
	for _, e := range l.got {
		if e.Type() == protocol.TypeToolCallStart {
			starts++
		}
	}
	if got := l.contents(protocol.RoleTool); starts != 1 || len(got) != 1 || got[0] != `{"people":3}` {
		t.Errorf("%d times announced, result %q", starts, got)
	}
}

// A call that cannot be undone says so in its question, and no other does.
func TestDestructiveCall(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		tool, err := adapter.Tool[struct{}, struct{}]{Name: "drop", Destructive: true}.Define()
		if err != nil {
			return err
		}
		drop, err := tool.Call(json.RawMessage(`{}`))
		if err != nil {
			return err
		}
		_, err = adapter.CallTools(ctx, run, drop, adapter.ToolCall{Name: "send"})
		return err
	}))
	open := interrupts(t, l.say("hi"))
	if len(open) != 2 || string(open[0].Metadata[adapter.DestructiveKey]) != "true" || open[1].Metadata[adapter.DestructiveKey] != nil {
		t.Fatalf("asked %+v", open)
	}
}
