package adapter_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// An event that is legal and without effect at clients does not end the run.
func TestEventWithoutEffect(t *testing.T) {
	parent := "m-hi"
	for name, agent := range map[string]adapter.AgentFunc{
		"a call in a user's message": func(_ context.Context, run *adapter.Run) error {
			return run.Emit(&protocol.ToolCallStart{ToolCallID: "call", ToolCallName: "look", ParentMessageID: &parent},
				&protocol.ToolCallEnd{ToolCallID: "call"})
		},
		"a text under an activity's id": func(_ context.Context, run *adapter.Run) error {
			if err := run.Activity("plan-1", "plan", map[string]any{}); err != nil {
				return err
			}
			return run.Emit(&protocol.TextMessageStart{MessageID: "plan-1", Role: protocol.RoleAssistant},
				&protocol.TextMessageEnd{MessageID: "plan-1"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agent)
			succeeded(t, l.say("hi"))
			l.wellFormed()
		})
	}
}

// A run may change an activity that an earlier run of the thread began.
func TestActivityAcrossRuns(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Activity("plan-1", "plan", map[string]any{"n": 1}); err != nil {
			return err
		}
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		return run.Emit(&protocol.ActivityDelta{
			MessageID: "plan-1", ActivityType: "plan", Patch: json.RawMessage(`[{"op":"replace","path":"/n","value":2}]`),
		})
	}))
	open := interrupts(t, l.say("hi"))
	events := l.answer(resolved(open[0].ID, "true"))
	succeeded(t, events)
	l.wellFormed()
	if !strings.Contains(show(events), string(protocol.TypeActivityDelta)) {
		t.Errorf("no delta in %s", show(events))
	}
}

// A message id holds one tool result: a second one under it is refused.
func TestToolResultIDTwice(t *testing.T) {
	l := newLab(t, telling(adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		for _, call := range []string{"one", "two"} {
			if err := run.Emit(
				&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "look"},
				&protocol.ToolCallEnd{ToolCallID: call},
				&protocol.ToolCallResult{MessageID: "result", ToolCallID: call, Content: *protocol.Text(call), Role: protocol.RoleTool},
			); err != nil {
				return err
			}
		}
		return nil
	})))
	e := failedWith(t, l.say("hi"), adapter.CodeAgentError)
	if !strings.Contains(e.Message, "has a message result already") {
		t.Errorf("message %q", e.Message)
	}
	if got := l.contents(protocol.RoleTool); len(got) != 1 || got[0] != "one" {
		t.Errorf("results %q", got)
	}
}
