package judge

import (
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// needsLogin reports whether resolving an interrupt is refused because only a login does,
// and a login resolves no other.
func (j *Judgement) needsLogin(it store.SuspendedInterrupt) bool {
	return (it.Login != nil) != (it.ID == j.LoggedIn)
}

func refuseWithoutLogin(ids []string) *protocol.RunError {
	return Refuse(CodeLoginRequired, "no answer resolves these interrupts: open their metadata.authorizeUrl in a browser and log in there, or cancel them: "+list(ids),
		map[string]any{"interruptIds": ids})
}
