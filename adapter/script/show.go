package script

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

func (a *agent) think(_ context.Context, run *adapter.Run, text string) error {
	if text == "" {
		text = "What would a script agent think about?"
	}
	if err := run.Think(text); err != nil {
		return err
	}
	return stream(run, "I have thought about it.")
}

// delegate lets a subagent say the text, in a step of its own.
func (a *agent) delegate(_ context.Context, run *adapter.Run, text string) error {
	if text == "" {
		text = "Done."
	}
	err := run.Delegate("helper", "Says what it is given", func(subagent string) error {
		by, message := protocol.Attributed{SubagentRunID: &subagent}, run.NewID()
		events := []protocol.Event{
			&protocol.StepStarted{Attributed: by, StepName: "say"},
			&protocol.TextMessageStart{Attributed: by, MessageID: message, Role: protocol.RoleAssistant},
		}
		for _, word := range strings.SplitAfter(text, " ") {
			events = append(events, &protocol.TextMessageContent{Attributed: by, MessageID: message, Delta: word})
		}
		return run.Emit(append(events,
			&protocol.TextMessageEnd{Attributed: by, MessageID: message},
			&protocol.StepFinished{Attributed: by, StepName: "say"})...)
	})
	if err != nil {
		return err
	}
	return stream(run, "The helper is done.")
}

// activity shows a plan and ticks its first point off by a delta.
func (a *agent) activity(_ context.Context, run *adapter.Run, _ string) error {
	id := run.NewID()
	type point struct {
		Text string `json:"text"`
		Done bool   `json:"done"`
	}
	err := run.Activity(id, "plan", map[string]any{"points": []point{{"look", false}, {"act", false}}})
	if err != nil {
		return err
	}
	err = run.Emit(&protocol.ActivityDelta{
		MessageID: id, ActivityType: "plan", Patch: json.RawMessage(`[{"op":"replace","path":"/points/0/done","value":true}]`),
	})
	if err != nil {
		return err
	}
	return stream(run, "The plan is under way.")
}

// frontend leaves a call for the frontend to answer: the run ends well, and
// the tool message that comes with a later input is its result.
func (a *agent) frontend(_ context.Context, run *adapter.Run, argument string) error {
	name, args, _ := strings.Cut(argument, " ")
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	if !json.Valid([]byte(args)) || name == "" {
		return stream(run, "Usage: /frontend NAME JSON, with a JSON object of arguments.")
	}
	call := run.NewID()
	return run.Emit(
		&protocol.ToolCallStart{ToolCallID: call, ToolCallName: name},
		&protocol.ToolCallArgs{ToolCallID: call, Delta: args},
		&protocol.ToolCallEnd{ToolCallID: call},
	)
}

// answered says what the frontend answered, if the last message is an answer.
func answered(messages protocol.Messages) (string, bool) {
	if len(messages) == 0 || messages[len(messages)-1].Role != protocol.RoleTool {
		return "", false
	}
	answer := messages[len(messages)-1]
	name := "the call"
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			if c.ID == answer.ToolCallID {
				name = c.Function.Name
			}
		}
	}
	return "The frontend answered " + name + ": " + answer.Content.String(), true
}
