package core

import (
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// MayRun judges an input by what needs no look at the thread.
func (s *Core) MayRun(p *peer.Peer) *protocol.RunError { return s.Metrics.Noted(s.whyNotRun(p)) }

func (s *Core) whyNotRun(p *peer.Peer) *protocol.RunError {
	switch {
	case s.Closed():
		return peer.RetryLater(refusal.CodeDraining, "this server is shutting down; connect again", time.Second)
	case !p.Identity.May(identity.ScopeRun):
		return &protocol.RunError{Code: refusal.CodeForbidden, Message: "this identity may not start runs"}
	case !s.Runs.StoreAvailable():
		return peer.StoreDown()
	}
	return s.MayInput(p.Caller)
}

// MayRepeat refuses a repeat of what may be somebody else's.
func (s *Core) MayRepeat(p *peer.Peer, a admission.Admitted) *protocol.RunError {
	if a.Disposition != admission.Repeat || p.Reads() || a.User != "" && a.User == p.Name() {
		return nil
	}
	return s.Metrics.Noted(&protocol.RunError{Code: refusal.CodeForbidden,
		Message: "the run that answers this is not known to be of this identity's inputs, and it may not follow threads"})
}
