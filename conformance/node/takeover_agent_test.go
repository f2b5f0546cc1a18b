package node

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// busy is an agent that has everything open at one time or another, at what it
// journals and between: a message, a step, a reasoning span, a tool call, nested
// subagents, parallel branches. It asks, and goes on with what the question
// closed.
type busy struct{}

// Restartable lets it be cut before it has journaled anything.
func (busy) Restartable() bool { return true }

func (busy) Run(ctx context.Context, run *adapter.Run) error {
	step := func(run *adapter.Run, name string) func() error {
		return func() error {
			_, err := adapter.StepWith(ctx, run, name, adapter.StepOptions{Idempotent: true}, func(context.Context) (bool, error) { return true, run.Say("inside " + name) })
			return err
		}
	}
	text, err := run.Text()
	if err != nil {
		return err
	}
	say := func(words string) func() error {
		return func() error { _, err := fmt.Fprint(text, words); return err }
	}
	thought, call := run.NewID(), run.NewID()
	emit := func(events ...protocol.Event) func() error { return func() error { return run.Emit(events...) } }
	var finish func() error
	return inOrder(
		say("one "), say("two "),
		func() (err error) { finish, err = run.StartStep("phase"); return err },
		func() error { return run.SetState(map[string]any{"a": 1, "list": []int{}}) },
		emit(&protocol.ReasoningStart{MessageID: thought}, &protocol.ReasoningMessageStart{MessageID: thought, Role: protocol.RoleReasoning},
			&protocol.ReasoningMessageContent{MessageID: thought, Delta: "what "}),
		step(run, "thinking"),
		emit(&protocol.ReasoningMessageContent{MessageID: thought, Delta: "if"}, &protocol.ReasoningMessageEnd{MessageID: thought}, &protocol.ReasoningEnd{MessageID: thought}),
		say("three "),
		patch(run, `[{"op":"replace","path":"/a","value":2},{"op":"add","path":"/list/-","value":"x"}]`),
		func() error { return run.Activity("plan", "PLAN", map[string]int{"done": 1}) },
		emit(&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "look"}, &protocol.ToolCallArgs{ToolCallID: call, Delta: `{"x":`}),
		step(run, "calling"),
		emit(&protocol.ToolCallArgs{ToolCallID: call, Delta: `1}`}, &protocol.ToolCallEnd{ToolCallID: call}),
		func() error {
			return delegate(run, "outer", func() error {
				return inOrder(func() error { return delegate(run, "inner", step(run, "deep")) }, step(run, "between"))
			})
		},
		func() error { return run.ToolResult(call, "seen") },
		func() error {
			return adapter.Parallel(ctx, run,
				func(_ context.Context, run *adapter.Run) error { return step(run, "left")() },
				func(_ context.Context, run *adapter.Run) error { return step(run, "right")() })
		},
		func() error { return run.Activity("plan", "PLAN", map[string]int{"done": 2}) },
		func() error {
			_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "Go on?"})
			return err
		},
		say("four "),
		func() error { return run.Think("so be it") },
		patch(run, `[{"op":"remove","path":"/list/0"}]`),
		step(run, "afterwards"),
		say("five"),
		func() error { return delegate(run, "last", step(run, "closing")) },
		func() error { return finish() },
		text.Close,
	)
}

func inOrder(calls ...func() error) error {
	for _, call := range calls {
		if err := call(); err != nil {
			return err
		}
	}
	return nil
}

func patch(run *adapter.Run, ops string) func() error {
	return func() error { return run.PatchState(json.RawMessage(ops)) }
}

// delegate lets a subagent speak, reason, step and call a tool around fn.
func delegate(run *adapter.Run, name string, fn func() error) error {
	return run.Delegate(name, "", func(id string) error {
		by, message, call := protocol.Attributed{SubagentRunID: &id}, run.NewID(), run.NewID()
		if err := run.Emit(
			&protocol.StepStarted{Attributed: by, StepName: name},
			&protocol.TextMessageStart{Attributed: by, MessageID: message, Role: protocol.RoleAssistant},
			&protocol.TextMessageContent{Attributed: by, MessageID: message, Delta: name + " begins "},
			&protocol.ToolCallStart{Attributed: by, ToolCallID: call, ToolCallName: "find"},
			&protocol.ToolCallArgs{Attributed: by, ToolCallID: call, Delta: "{}"},
			&protocol.ToolCallEnd{Attributed: by, ToolCallID: call},
		); err != nil {
			return err
		}
		if err := fn(); err != nil {
			return err
		}
		return run.Emit(
			&protocol.TextMessageContent{Attributed: by, MessageID: message, Delta: name + " ends"},
			&protocol.TextMessageEnd{Attributed: by, MessageID: message},
			&protocol.ToolCallResult{Attributed: by, MessageID: run.NewID(), ToolCallID: call, Content: *protocol.Text("found"), Role: protocol.RoleTool},
			&protocol.StepFinished{Attributed: by, StepName: name},
		)
	})
}
