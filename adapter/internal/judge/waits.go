package judge

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// onlyWaits reports whether resolving an interrupt is refused because it asks nobody: it waits
// for a time, for an event or for the end of a call, which alone resolves it.
func (j *Judgement) onlyWaits(it store.SuspendedInterrupt) bool {
	return it.By == store.AskedByTimer || it.By == store.AskedByEvent && it.ID != j.Event || it.By == store.AskedByCall && it.ID != j.Called
}

// pending says what a message has to wait for.
func (j *Judgement) pending(open *store.Suspension) string {
	for _, it := range open.Items {
		if !j.onlyWaits(it) {
			return "the thread waits for answers: send resume with an entry for each open interrupt"
		}
	}
	return "the thread's run waits for a time, an event or another agent: wait as well, or cancel it"
}

func refuseToResolve(ids []string) *protocol.RunError {
	return Refuse(CodeInvalidInput, "no answer resolves these interrupts: they wait for a time, an event or another agent: wait as well, or cancel them: "+list(ids),
		map[string]any{"interruptIds": ids})
}
