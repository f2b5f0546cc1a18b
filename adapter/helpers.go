package adapter

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol"
)

// Text is a message being written. Writing is streaming: each Write is one
// event. It is an io.WriteCloser; what it leaves open the run closes.
type Text struct {
	run  *Run
	id   string
	tail []byte // the beginning of a rune whose rest has not come
}

// Text opens an assistant's message.
func (r *Run) Text() (*Text, error) {
	t := &Text{run: r, id: r.NewID()}
	return t, r.Emit(&protocol.TextMessageStart{MessageID: t.id, Role: protocol.RoleAssistant})
}

// ID is the message's id.
func (t *Text) ID() string { return t.id }

// Write streams a piece of the text. A rune that p cuts is held back until its
// rest comes.
func (t *Text) Write(p []byte) (int, error) {
	whole := append(t.tail, p...)
	cut := wholeRunes(whole)
	t.tail = append([]byte(nil), whole[cut:]...)
	if cut > 0 {
		if err := t.run.Emit(&protocol.TextMessageContent{MessageID: t.id, Delta: string(whole[:cut])}); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Close ends the message. The beginning of a rune whose rest never came is
// written as U+FFFD.
func (t *Text) Close() error {
	if len(t.tail) > 0 {
		t.tail = nil
		if err := t.run.Emit(&protocol.TextMessageContent{MessageID: t.id, Delta: "\uFFFD"}); err != nil {
			return err
		}
	}
	return t.run.Emit(&protocol.TextMessageEnd{MessageID: t.id})
}

// wholeRunes is how many of the bytes are whole runes, or cannot become ones.
func wholeRunes(b []byte) int {
	for back := 1; back < utf8.UTFMax && back <= len(b); back++ {
		c := b[len(b)-back]
		if utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-back:]) {
				return len(b) - back
			}
			break
		}
	}
	return len(b)
}

// Say writes one whole message.
func (r *Run) Say(text string) error {
	t, err := r.Text()
	if err != nil {
		return err
	}
	if _, err := t.Write([]byte(text)); err != nil {
		return err
	}
	return t.Close()
}

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
// SUBAGENT_ERROR when fn fails. What fn emits for it carries the id as its
// SubagentRunID.
func (r *Run) Delegate(name, description string, fn func(subagent string) error) error {
	id := r.NewID()
	err := r.Emit(&protocol.SubagentStarted{SubagentRunID: id, Name: name, Description: description})
	if err != nil {
		return err
	}
	if err := fn(id); err != nil {
		if r.over() {
			return err
		}
		if closed := r.Emit(&protocol.SubagentError{SubagentRunID: id, Message: err.Error()}); closed != nil {
			return closed
		}
		return err
	}
	return r.Emit(&protocol.SubagentFinished{SubagentRunID: id})
}

func (r *Run) over() bool {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.sealed != nil
}
