package judge

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// waits reports whether resolving an interrupt is refused because it asks nobody: it waits
// for a time, or for an event, which alone resolves it.
func (j *Judgement) waits(it store.SuspendedInterrupt) bool {
	return it.By == store.AskedByTimer || it.By == store.AskedByEvent && it.ID != j.Event
}

// pending says what a message has to wait for.
func (j *Judgement) pending(open *store.Suspension) string {
	for _, it := range open.Items {
		if !j.waits(it) {
			return "the thread waits for answers: send resume with an entry for each open interrupt"
		}
	}
	return "the thread's run waits for a time or for an event: wait as well, or cancel it"
}

func refuseTimers(ids []string) *protocol.RunError {
	return Refuse(CodeInvalidInput, "no answer resolves these interrupts: the run waits for a time or for an event: wait as well, or cancel them: "+list(ids),
		map[string]any{"interruptIds": ids})
}
