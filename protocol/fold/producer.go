package fold

import (
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// underway is what goes on while messages come. It is shared by them and not changed.
type underway struct {
	run   string
	steps []protocol.ItemKey // that are open, the latest last
}

// Producer returns the run in which the first message with the id came, and the step, the
// innermost one that its owner had open. Both are empty where the fold has not seen it
// come, as of those that New and Restore are given.
func (f *Fold) Producer(id string) (runID, step string) {
	m := f.log.find(id)
	if m == nil || m.during == nil {
		return "", ""
	}
	owner := protocol.NewOwner(m.SubagentRunID)
	for _, open := range slices.Backward(m.during.steps) {
		if open.Owner == owner {
			return m.during.run, open.ID
		}
	}
	return m.during.run, ""
}

// goesOn notes what goes on from here.
func (f *Fold) goesOn() {
	if f.log.during = nil; !f.active {
		return
	}
	during := &underway{run: f.runID}
	for _, x := range f.open {
		if x.Family == protocol.FamilyStep {
			during.steps = append(during.steps, x.ItemKey)
		}
	}
	f.log.during = during
}
