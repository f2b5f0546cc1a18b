package peer

import (
	"context"
	"log/slog"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Peer is the client at the other end of a connection that stays open, whatever
// carries it. ctx ends with the connection, its cause being a *closing.
type Peer struct {
	gate *Gate
	*Caller
	Agent string
	Log   *slog.Logger

	Ctx    context.Context
	Cancel context.CancelCauseFunc
	pages  context.Context // ctx for reading page after page
	Out    outgoing        // the goroutine's that writes
	Wake   chan struct{}   // something to write, or a cursor that may move
	OnPoke func()          // called by poke as well; nil: nothing
}

// NewPeer's ctx does not end with parent, whose values it has. The caller closes
// Out.Account.
func (s *Gate) NewPeer(parent context.Context, c *Caller, agent string) *Peer {
	p := &Peer{gate: s, Caller: c, Agent: agent, Wake: make(chan struct{}, 1)}
	p.Out.Account = s.Account(budget.Replies, c)
	p.Log = s.Options.Logger.With("namespace", c.Identity.Namespace, "user", c.Identity.User)
	p.Ctx, p.Cancel = context.WithCancelCause(context.WithoutCancel(parent))
	p.pages = p.Reading(p.Ctx)
	return p
}

// Poke makes the peer's session look around. It never blocks.
func (p *Peer) Poke() {
	select {
	case p.Wake <- struct{}{}:
	default:
	}
	if p.OnPoke != nil {
		p.OnPoke()
	}
}

// Call is the context of a runner's call that changes something: it outlives
// the peer, because dropping a connection must not leave an input half done.
func (p *Peer) Call() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.Reading(context.WithoutCancel(p.Ctx)), p.gate.Options.CallTimeout)
}

// Look is the context of a call that only reads.
func (p *Peer) Look() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.Reading(p.Ctx), p.gate.Options.CallTimeout)
}

// Key names a thread of the peer's namespace.
func (p *Peer) Key(thread string) store.ThreadKey {
	return store.ThreadKey{Namespace: p.Identity.Namespace, Thread: thread}
}

// MayInput refuses an input of a user who sends too many, on whatever
// connections.
func (s *Gate) MayInput(c *Caller) *protocol.RunError {
	if s.Memory.Short(shedRuns) {
		return Overloaded()
	}
	if wait := s.inputs.Take(c.User); wait > 0 {
		return RetryLater(refusal.CodeRateLimited, "too many inputs; slow down", wait+time.Millisecond)
	}
	return nil
}
