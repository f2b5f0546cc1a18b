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
func (r *Run) LatestInput() *protocol.RunAgentInput { return r.x.LatestInput() }
