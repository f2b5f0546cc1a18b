package adapter

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// Message is the thread's first message with the id, as of now: see Messages. It costs
// the same however many there are; what changes the message later copies it with all its
// calls once more. The caller must not change what it points to.
func (r *Run) Message(id string) (protocol.Message, bool) { return r.x.Message(id) }

// Role is that of the thread's first message with the id, as of now.
func (r *Run) Role(id string) (protocol.Role, bool) { return r.x.Role(id) }

// ToolCall is the thread's first tool call with the id, as of now. The caller must not
// change what it points to.
func (r *Run) ToolCall(id string) (protocol.ToolCall, bool) { return r.x.ToolCall(id) }

// Answered reports whether the thread has a result of the tool call, as of now.
func (r *Run) Answered(call string) bool { return r.x.Answered(call) }

// Askable says why Ask would refuse the interrupt; nil: it would take it. It suspends
// nothing, and may be called inside a Step.
func (r *Run) Askable(ctx context.Context, i protocol.Interrupt) error { return r.x.Askable(ctx, i) }

// Fits reports whether an answer fits the interrupt's ResponseSchema. Without one any does; one
// that takes too much to be checked does not.
func (r *Run) Fits(ctx context.Context, i protocol.Interrupt, payload json.RawMessage) bool {
	return r.x.Fits(ctx, i, payload)
}

// Left are the ids with which the agent's interrupts were given to Ask that the execution's
// input turned away from, or that expired before it under ExpiryFail: whoever keeps them
// elsewhere as open can be told so. It is the same in every replay.
func (r *Run) Left() []string { return slices.Clone(r.x.Frozen().Left) }
