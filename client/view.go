package client

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// View is what is held of a thread, as of a position. It can be kept as JSON, and followed
// from in another process.
type View struct {
	// Position is that of the last event applied; zero if nothing is known.
	Position Position          `json:"position"`
	Messages protocol.Messages `json:"messages"`
	State    json.RawMessage   `json:"state"`
	// Older is how many messages stand before Messages, with Options.Window: Thread.Older
	// has them. Before is their place.
	Older  int64  `json:"older,omitempty"`
	Before string `json:"before,omitempty"`
	// Interrupts are the questions that are open.
	Interrupts []protocol.Interrupt `json:"interrupts"`
	// ActiveLabel is the label of the run under way, "" if there is none.
	ActiveLabel string `json:"activeRunId,omitempty"`
	// Queued are the inputs that wait, as far as the client was told.
	Queued []QueuedInput `json:"queued,omitempty"`
	// Live: the client is connected, and this is all that there is.
	Live bool `json:"-"`
}

// AtRest reports whether nothing is under way and nothing waits.
func (v View) AtRest() bool { return v.Live && v.ActiveLabel == "" && len(v.Queued) == 0 }

func (t *Thread) view() View {
	v := View{
		Position: t.mine, Messages: t.fold.Messages(), State: t.fold.State(), Older: t.older, Before: t.before,
		Interrupts: append([]protocol.Interrupt{}, t.interrupts...), Queued: t.queued, Live: t.live && !t.paused,
	}
	if _, label, active := t.fold.Run(); active {
		v.ActiveLabel = label
	}
	return v
}
