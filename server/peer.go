package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// peer is the client at the other end of a connection that stays open, whatever
// carries it. ctx ends with the connection, its cause being a *closing.
type peer struct {
	srv *core
	*caller
	agent string
	log   *slog.Logger

	ctx    context.Context
	cancel context.CancelCauseFunc
	pages  context.Context // ctx for reading page after page
	out    outgoing        // the goroutine's that writes
	wake   chan struct{}   // something to write, or a cursor that may move
	onPoke func()          // called by poke as well; nil: nothing
}

// newPeer's ctx does not end with parent, whose values it has. The caller closes
// out.account.
func (s *core) newPeer(parent context.Context, c *caller, agent string) *peer {
	p := &peer{srv: s, caller: c, agent: agent, wake: make(chan struct{}, 1)}
	p.out.account = s.account(budget.Replies, c)
	p.log = s.opts.Logger.With("namespace", c.identity.Namespace, "user", c.identity.User)
	p.ctx, p.cancel = context.WithCancelCause(context.WithoutCancel(parent))
	p.pages = p.reading(p.ctx)
	return p
}

// poke makes the peer's session look around. It never blocks.
func (p *peer) poke() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
	if p.onPoke != nil {
		p.onPoke()
	}
}

// expire ends the peer when its credential does. The caller stops the timer.
func (p *peer) expire() *time.Timer {
	if p.identity.Expires.IsZero() {
		return nil
	}
	return time.AfterFunc(time.Until(p.identity.Expires), func() { p.cancel(closeExpired) })
}

// call is the context of a runner's call that changes something: it outlives
// the peer, because dropping a connection must not leave an input half done.
func (p *peer) call() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.reading(context.WithoutCancel(p.ctx)), p.srv.opts.CallTimeout)
}

// look is the context of a call that only reads.
func (p *peer) look() (context.Context, context.CancelFunc) {
	return context.WithTimeout(p.reading(p.ctx), p.srv.opts.CallTimeout)
}

func (p *peer) key(thread string) store.ThreadKey {
	return store.ThreadKey{Namespace: p.identity.Namespace, Thread: thread}
}

// mayRun judges an input by what needs no look at the thread.
func (p *peer) mayRun() *protocol.RunError { return p.srv.metrics.Noted(p.whyNotRun()) }

func (p *peer) whyNotRun() *protocol.RunError {
	switch {
	case p.srv.draining.Load():
		return retryLater(refusal.CodeDraining, "this server is shutting down; connect again", time.Second)
	case !p.identity.May(identity.ScopeRun):
		return &protocol.RunError{Code: refusal.CodeForbidden, Message: "this identity may not start runs"}
	case !p.srv.runs.StoreAvailable():
		return storeDown()
	}
	return p.srv.mayInput(p.caller)
}

// mayInput refuses an input of a user who sends too many, on whatever
// connections.
func (s *core) mayInput(c *caller) *protocol.RunError {
	if s.memory.short(shedRuns) {
		return overloaded()
	}
	if wait := s.inputs.take(c.user); wait > 0 {
		return retryLater(refusal.CodeRateLimited, "too many inputs; slow down", wait+time.Millisecond)
	}
	return nil
}
