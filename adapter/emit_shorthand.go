package adapter

import (
	"encoding/json"
	"errors"

	"github.com/aguiws/aguiws/protocol"
)

// ToolResult emits the result of a call, as a message of its own.
func (r *Run) ToolResult(callID, content string) error {
	return r.Emit(&protocol.ToolCallResult{
		MessageID: r.NewID(), ToolCallID: callID, Content: *protocol.Text(content), Role: protocol.RoleTool,
	})
}

// SetState replaces the thread's state by what value encodes to.
func (r *Run) SetState(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return r.Emit(&protocol.StateSnapshot{Snapshot: text})
}

// PatchState changes the thread's state by a JSON Patch (RFC 6902), all of it
// or nothing.
func (r *Run) PatchState(ops json.RawMessage) error {
	return r.Emit(&protocol.StateDelta{Delta: ops})
}

// StartStep shows a named step to clients until the returned function is
// called. It is about display: Step is what journals.
func (r *Run) StartStep(name string) (finish func() error, err error) {
	return func() error { return r.Emit(&protocol.StepFinished{StepName: name}) },
		r.Emit(&protocol.StepStarted{StepName: name})
}

// Activity shows a structured message of the given type, or replaces it.
// Content must encode to an object.
func (r *Run) Activity(id, activityType string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return r.Emit(&protocol.ActivitySnapshot{MessageID: id, ActivityType: activityType, Content: text})
}

// Think emits one whole reasoning span with one message in it.
func (r *Run) Think(text string) error {
	span, message := r.NewID(), r.NewID()
	return r.Emit(
		&protocol.ReasoningStart{MessageID: span},
		&protocol.ReasoningMessageStart{MessageID: message, Role: protocol.RoleReasoning},
		&protocol.ReasoningMessageContent{MessageID: message, Delta: text},
		&protocol.ReasoningMessageEnd{MessageID: message},
		&protocol.ReasoningEnd{MessageID: span},
	)
}

// Delegate announces a subagent, calls fn with its id, and ends it: with
// SUBAGENT_ERROR when fn fails, of whose error clients are told what they would be
// told of the agent's (UserError). Events that fn emits for the subagent are to carry the
// id as their SubagentRunID.
func (r *Run) Delegate(name, description string, fn func(subagent string) error) error {
	id := r.NewID()
	err := r.Emit(&protocol.SubagentStarted{SubagentRunID: id, Name: name, Description: description})
	if err != nil {
		return err
	}
	if err := fn(id); err != nil {
		if r.x.Over() {
			return err
		}
		told := r.x.Told(err)
		failed := &protocol.SubagentError{SubagentRunID: id, Message: told.Message}
		if user := (*UserError)(nil); errors.As(err, &user) && told.Message == user.Message {
			failed.Code = user.Code
		}
		if closed := r.Emit(failed); closed != nil {
			return closed
		}
		return err
	}
	return r.Emit(&protocol.SubagentFinished{SubagentRunID: id})
}
