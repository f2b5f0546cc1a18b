package admit

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// noteUnanswered tells of what an input without answers has steered away from. A run that
// asked about a step which may have taken effect gets no answer any more.
func (a *Admission) noteUnanswered(in *Request, v judge.Verdict) {
	var steps []string
	for _, it := range v.Continues.Items {
		var shown protocol.Interrupt
		if it.By != store.AskedByStep || stored.Decode(it.Interrupt, &shown, "interrupt %s", it.ID) != nil {
			continue
		}
		var about struct {
			Step string `json:"step"`
		}
		_ = json.Unmarshal(shown.Metadata["aguiws"], &about)
		steps = append(steps, about.Step)
	}
	if len(steps) > 0 {
		a.Log.Warn("another message ended a run that asked what became of a step: it may have taken effect", "thread", in.Run.ThreadID, "label", in.Run.RunID, "askedBy", v.Continues.Label, "steps", steps)
		return
	}
	a.Log.Debug("another message cancelled the open interrupts", "thread", in.Run.ThreadID, "label", in.Run.RunID, "interrupts", v.Continues.IDs())
}
