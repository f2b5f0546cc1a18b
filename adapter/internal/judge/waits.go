package judge

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// onlyWaits reports whether resolving an interrupt is refused because it waits for something
// else than an answer. The end of a call resolves the one that waits for it.
func (j *Judgement) onlyWaits(it store.SuspendedInterrupt) bool {
	return it.By == store.AskedByTimer || it.By == store.AskedByCall && it.ID != j.Called
}

func refuseToResolve(ids []string) *protocol.RunError {
	return Refuse(CodeInvalidInput, "no answer resolves these interrupts: they wait for a time, or for another agent: wait for that, or cancel them: "+list(ids),
		map[string]any{"interruptIds": ids})
}
