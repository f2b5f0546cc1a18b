package adapter

import (
	"context"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// Message is the thread's first message with the id, as of now: see Messages. It costs
// the same however many there are. What it points to must not be changed.
func (r *Run) Message(id string) (protocol.Message, bool) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.Message(id)
}

// Caller is the thread's first message that has the tool call, as of now.
func (r *Run) Caller(call string) (protocol.Message, bool) {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.Caller(call)
}

// Askable says why Ask would refuse the interrupt; nil: it would take it. It suspends
// nothing, and may be called inside a Step.
func (r *Run) Askable(ctx context.Context, i protocol.Interrupt) error {
	if err := checkInterrupt(ctx, i, &r.x.node.schemas); err != nil {
		return err
	}
	return r.x.node.checkExpiry(ctx, i)
}

// Left are the ids with which the agent's interrupts were given to Ask that the execution's
// input turned away from, or that expired before it under ExpiryFail: whoever keeps them
// elsewhere as open can be told so. It is the same in every replay.
func (r *Run) Left() []string { return slices.Clone(r.x.frozen.Left) }
