// Package fold holds what a client holds after a stream of events.
package fold

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/jsonpatch"
)

// Fold is what a client holds after a stream of events: messages, state, the
// interrupts that wait for an answer, and what is still open. It decides as the reference
// client 1.0.0 does, in warnings as well, with two exceptions. An activity whose patched
// content is no object keeps its old one. The fold keeps what this version does not know,
// which that client drops.
//
// The stream is taken to be legal: order.Sequence says whether it is. A fold belongs
// to one goroutine, a clone of it may to another.
type Fold struct {
	log        log
	state      json.RawMessage
	interrupts []protocol.Interrupt
	pending    []string // tool calls that the last finished run left to the frontend
	chunks     protocol.Expander
	open       []opened

	threadID, runID string
	active          bool
	runCalls        []string // the calls of this run, in order; clones share its array
	calls           index[string, callState]
}

// callState is what a run has done with a call.
type callState struct{ made, answered bool }

// New returns what a client holds that has these messages and this state;
// nil is the empty object.
func New(messages protocol.Messages, state json.RawMessage) *Fold {
	f := &Fold{}
	f.Restore(messages, state)
	return f
}

// Restore replaces the messages and the state, and keeps the run and what it
// has open.
func (f *Fold) Restore(messages protocol.Messages, state json.RawMessage) {
	f.log = newLog(messages)
	f.goesOn()
	f.SetState(state)
}

// SetState replaces the state; nil is the empty object.
func (f *Fold) SetState(state json.RawMessage) {
	if len(state) == 0 {
		state = json.RawMessage("{}")
	}
	f.state = state
}

// State returns the state. The bytes must not be changed.
func (f *Fold) State() json.RawMessage { return f.state }

// Messages returns the messages, in order. Clones share the slice: neither it nor what
// it holds must be changed. It costs what was added since Messages was called before,
// or, when others have changed, as much as there are messages.
func (f *Fold) Messages() protocol.Messages { return f.log.messages() }

// Interrupts returns those that the last finished run waits for. They survive a
// RUN_ERROR and are gone after any other outcome.
func (f *Fold) Interrupts() []protocol.Interrupt { return slices.Clone(f.interrupts) }

// PendingToolCalls returns the calls that the last finished run left without a
// result, in call order.
func (f *Fold) PendingToolCalls() []string { return slices.Clone(f.pending) }

// Run returns the latest run and whether it is active.
func (f *Fold) Run() (threadID, runID string, active bool) {
	return f.threadID, f.runID, f.active
}

// Clone returns a fold that goes on independently. It costs what has changed since the
// fold, or what it was cloned from, was cloned before.
func (f *Fold) Clone() *Fold {
	c := *f
	c.log = f.log.clone()
	c.interrupts, c.pending = slices.Clone(f.interrupts), slices.Clone(f.pending)
	c.chunks = f.chunks.Clone()
	c.open, c.runCalls, c.calls = slices.Clone(f.open), slices.Clip(f.runCalls), f.calls.clone()
	return &c
}

// Apply takes in one event. An error is a warning: the event changed nothing,
// or, where the reference client does so, only metadata, and the fold goes on.
func (f *Fold) Apply(e protocol.Event) error {
	if x := protocol.EffectOf(e); f.chunks.Idle() && x.Verb != protocol.Abridges {
		return f.apply(e, x)
	}
	events, err := f.chunks.Expand(e)
	if err != nil {
		return fmt.Errorf("protocol: fold: %w", err)
	}
	var warnings []error
	for _, e := range events {
		warnings = append(warnings, f.apply(e, protocol.EffectOf(e)))
	}
	return errors.Join(warnings...)
}

func (f *Fold) apply(e protocol.Event, x protocol.Effect) error {
	f.track(e, x)
	if x.Family == protocol.FamilyStep {
		f.goesOn()
	}
	if err := f.take(e, x); err != nil {
		return fmt.Errorf("protocol: fold %s: %w", e.Type(), err)
	}
	return nil
}

func (f *Fold) take(e protocol.Event, x protocol.Effect) error {
	switch {
	case x.Verb == protocol.Continues && x.Family == protocol.FamilyToolCall:
		return f.log.extendCall(*x.ID, *x.Delta, protocol.Common(e).Metadata)
	case x.Verb == protocol.Continues:
		return f.log.extend(*x.ID, *x.Delta, protocol.Common(e).Metadata)
	case x.Verb == protocol.Ends && x.Family == protocol.FamilyToolCall:
		return f.log.finishCall(*x.ID, protocol.Common(e).Metadata)
	case x.Verb == protocol.Ends && (x.Family == protocol.FamilyText || x.Family == protocol.FamilyReasoning):
		return f.log.finish(*x.ID, protocol.Common(e).Metadata)
	}
	switch e := e.(type) {
	case *protocol.TextMessageStart:
		m := protocol.Message{ID: e.MessageID, Role: e.Role, Name: e.Name, Content: protocol.Text(""), SubagentRunID: e.SubagentRunID}
		if m.Role == "" {
			m.Role = protocol.RoleAssistant
		}
		return f.log.begin(m, e.Metadata)
	case *protocol.ReasoningMessageStart:
		m := protocol.Message{ID: e.MessageID, Role: protocol.RoleReasoning, Content: protocol.Text(""), SubagentRunID: e.SubagentRunID}
		return f.log.begin(m, e.Metadata)
	case *protocol.ToolCallStart:
		if did, _ := f.calls.get(e.ToolCallID); !did.made {
			f.runCalls = append(f.runCalls, e.ToolCallID)
			f.calls.set(e.ToolCallID, callState{true, did.answered})
		}
		return f.log.beginCall(e)
	case *protocol.ToolCallResult:
		did, _ := f.calls.get(e.ToolCallID)
		f.calls.set(e.ToolCallID, callState{did.made, true})
		f.log.result(e)
	case *protocol.ReasoningEncryptedValue:
		f.log.seal(e)
	case *protocol.MessagesSnapshot:
		f.log.reconcile(e)
	case *protocol.ActivitySnapshot:
		f.log.activity(e)
	case *protocol.ActivityDelta:
		return f.activityDelta(e)
	case *protocol.StateSnapshot:
		f.SetState(e.Snapshot)
		if len(e.Snapshot) == 0 {
			f.state = json.RawMessage("null")
		}
	case *protocol.StateDelta:
		next, err := f.patched(f.state, e.Delta)
		if err != nil {
			return err
		}
		f.state = next
	default:
		f.takeRun(e)
	}
	return nil
}

// takeRun takes what begins or ends a run.
func (f *Fold) takeRun(e protocol.Event) {
	switch e := e.(type) {
	case *protocol.RunStarted:
		f.threadID, f.runID, f.active = e.ThreadID, e.RunID, true
		f.forgetCalls()
		f.goesOn()
		if e.Input != nil {
			f.log.join(e.Input.Messages)
		}
	case *protocol.RunFinished:
		f.active = false
		f.finished(e)
		f.goesOn()
	case *protocol.RunError:
		f.active = false
		f.goesOn()
	}
}

// forgetCalls begins another run.
func (f *Fold) forgetCalls() { f.runCalls, f.calls = nil, index[string, callState]{} }

func (f *Fold) finished(e *protocol.RunFinished) {
	f.interrupts, f.pending = nil, nil
	switch {
	case e.Outcome != nil && e.Outcome.Type == protocol.OutcomeInterrupt:
		f.interrupts = slices.Clone(e.Outcome.Interrupts)
	case e.Outcome != nil && e.Outcome.Type == protocol.OutcomeCancelled:
	case e.Outcome != nil && len(e.Outcome.PendingToolCallIDs) > 0:
		f.pending = slices.Clone(e.Outcome.PendingToolCallIDs)
	default:
		for _, id := range f.runCalls {
			if did, _ := f.calls.get(id); !did.answered {
				f.pending = append(f.pending, id)
			}
		}
	}
}

func (f *Fold) activityDelta(e *protocol.ActivityDelta) error {
	m := f.log.find(e.MessageID)
	if m == nil {
		return nil
	}
	if m.Role != protocol.RoleActivity {
		return fmt.Errorf("message %q is of role %s", e.MessageID, m.Role)
	}
	f.log.merge(m, e.Metadata)
	doc := m.Content.Object()
	if doc == nil {
		doc = json.RawMessage("{}")
	}
	next, err := f.patched(doc, e.Patch)
	if err != nil {
		return err
	}
	if len(next) == 0 || next[0] != '{' {
		return fmt.Errorf("the content of %q would no longer be an object", e.MessageID)
	}
	m = f.log.writable(m.place)
	f.log.say(m, protocol.ObjectOf(next))
	f.log.bytes += len(e.ActivityType) - len(m.ActivityType)
	m.ActivityType = e.ActivityType
	return nil
}

// patched leaves out the operations that this version does not know, as a
// receiver does with any unknown alternative, and applies the rest.
func (f *Fold) patched(doc, ops json.RawMessage) (json.RawMessage, error) {
	known, _, err := wire.KnownOperations(ops)
	if err != nil {
		return nil, err
	}
	return jsonpatch.Apply(doc, known)
}
