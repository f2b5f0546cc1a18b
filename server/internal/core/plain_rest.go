package core

import (
	"sync/atomic"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol/downgrade"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// ResumePlain sends the rest of a run to a client of TanStack AI that was sent what comes
// before a position.
func (s *Core) ResumePlain(p *peer.Peer, w Wire, thread, label string, from *store.Position) error {
	r := &plainRun{
		wire: w, label: label, dialect: frames.TanStack, profile: downgrade.ProfileCurrent,
		aborted: &atomic.Bool{}, mine: true, begun: true, resumed: true,
	}
	r.Open(s, p, thread)
	defer r.Close()
	a, err := r.Attach(from)
	switch {
	case err != nil:
		return Refuse(w, peer.Unanswered(err))
	case !a.Recovered:
		return Refuse(w, peer.OutcomeUnknown())
	}
	r.rests = a.ActiveLabel == ""
	return r.Stream(r)
}
