package adapter

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/protocol"
)

// Message is the thread's first message with the id, as of now: see Messages. It costs
// the same however many there are; what changes the message later copies it with all its
// calls once more. The caller must not change what it points to.
func (r *Run) Message(id string) (protocol.Message, bool) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.Message(id)
}

// Role is that of the thread's first message with the id, as of now.
func (r *Run) Role(id string) (protocol.Role, bool) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.Role(id)
}

// ToolCall is the thread's first tool call with the id, as of now. The caller must not
// change what it points to.
func (r *Run) ToolCall(id string) (protocol.ToolCall, bool) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.Call(id)
}

// Answered reports whether the thread has a result of the tool call, as of now.
func (r *Run) Answered(call string) bool {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	_, answered := r.x.fold.Answer(call)
	return answered
}

// Askable says why Ask would refuse the interrupt; nil: it would take it. It suspends
// nothing, and may be called inside a Step.
func (r *Run) Askable(ctx context.Context, i protocol.Interrupt) error {
	if err := checkInterrupt(ctx, i, &r.x.node.schemas); err != nil {
		return err
	}
	return r.x.node.checkExpiry(ctx, i)
}

// Fits reports whether an answer fits the interrupt's ResponseSchema. Without one any does; one
// that takes too much to be checked does not.
func (r *Run) Fits(ctx context.Context, i protocol.Interrupt, payload json.RawMessage) bool {
	if i.ResponseSchema.IsZero() {
		return true
	}
	problems, err := r.x.node.schemas.CheckWithin(ctx, new(responseschema.Budget), i.ResponseSchema, payload)
	return err == nil && len(problems) == 0
}

// Left are the ids with which the agent's interrupts were given to Ask that the execution's
// input turned away from, or that expired before it under ExpiryFail: whoever keeps them
// elsewhere as open can be told so. It is the same in every replay.
func (r *Run) Left() []string { return slices.Clone(r.x.frozen.Left) }
