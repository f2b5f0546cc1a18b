package adapter

import (
	"github.com/aguiws/aguiws/protocol"
)

// LatestInput is Input with what the input brought that carries the execution now: the
// tools, context and forwardedProps of an answer, and the label of the run that it began.
// An answer that brings none of the three, as from the inbox, leaves those before it.
// Messages and state are Input's; Run.Messages and Run.State are those of now.
//
// It is not the same in a replay after an answer: what a path depends on is Input, or the
// result of a Step. Neither it nor what it holds must be changed.
func (r *Run) LatestInput() *protocol.RunAgentInput {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	x := r.x
	if x.label == x.frozen.Label && x.journal.latest == nil {
		return x.frozen.Input
	}
	in := *x.frozen.Input
	in.RunID = x.label
	if brought := x.journal.latest; brought != nil {
		in.Tools, in.Context, in.ForwardedProps = brought.Tools, brought.Context, brought.ForwardedProps
	}
	return &in
}

// broughtBy is what the journal keeps of the input of an answer; nil: nothing.
func broughtBy(in *protocol.RunAgentInput) *protocol.RunAgentInput {
	props := in.ForwardedProps
	if isEmptyObject(props) {
		props = nil
	}
	if len(in.Tools) == 0 && len(in.Context) == 0 && props.IsZero() {
		return nil
	}
	return &protocol.RunAgentInput{Messages: protocol.Messages{}, Tools: in.Tools, Context: in.Context, ForwardedProps: props}
}
