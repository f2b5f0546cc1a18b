package adapter

import (
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// Emit adds events to the run, in order. It returns when they are queued, and
// waits when too much is under way; they are in the log before any client sees
// them. An event that would break AG-UI's order rules is refused with an error
// that names the rule, and the ones before it stand. Chunks are expanded. The
// events that open and end a run are the adapter's own and are refused.
//
// In a branch of Parallel, events are held until the branch's next step ends,
// or the branch does, so that a takeover can tell them apart.
func (r *Run) Emit(events ...protocol.Event) error {
	for _, e := range events {
		if _, unknown := e.(*protocol.Unknown); unknown {
			return fmt.Errorf("adapter: emit: %T is not an agent's to emit", e)
		}
	}
	if len(events) == 1 {
		return r.x.Relay(events[0], nil)
	}
	return r.x.Emit(slices.Clone(events))
}
