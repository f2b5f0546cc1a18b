package adapter

import (
	"context"

	"github.com/aguiws/aguiws/protocol"
)

// Injected returns the messages that were sent to join the run (WhenStep) and that no call
// has returned yet, in the order in which they came; mostly there are none, and that costs
// nothing. They are in the thread, and in Messages, from then on. The call is a place at
// which a replay finds itself again, as a step is: it returns there what it returned
// before. A pause takes effect there too, so that messages which came while the run was
// paused are returned when it goes on. Messages that came during the last step or since are
// known by the time that the run has recorded or said something.
//
// Agents call it between steps, where they can heed what a user adds. Inside a Step or a
// branch of Parallel it is an error. Messages that an agent never asks for begin a run of
// their own.
func (r *Run) Injected(ctx context.Context) (protocol.Messages, error) { return r.x.Injected(ctx) }
