package server

import (
	"context"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// controlAPI is the control API on this server.
func (s *core) controlAPI() *controlapi.API {
	return controlapi.New(controlapi.Config{
		Runner: s.control, Notices: s.notices, Record: s.runs, Webhooks: s.opts.Webhooks, Logins: s.logins, Work: s.work.WorkStats, Upstreams: s.metrics.upstreamStatus,
		Nodes: s.nodes.Nodes, Store: s.nodes.Store,
		Enter: func(r *http.Request) (controlapi.Caller, *refusal.Refusal) {
			c, refused := s.enter(r)
			return controlCaller{s, c}, refused
		},
		AgentNamed: s.agentNamed, CallTimeout: s.opts.CallTimeout, MaxBodyBytes: s.opts.MaxFrameBytes, Logger: s.opts.Logger,
	})
}

// controlCaller is a caller as the control API knows one.
type controlCaller struct {
	srv *core
	*caller
}

func (c controlCaller) Namespace() string                        { return c.identity.Namespace }
func (c controlCaller) Tenant() string                           { return c.identity.Tenant }
func (c controlCaller) User() string                             { return c.name() }
func (c controlCaller) NameOf(user string) string                { return c.nameOf(user) }
func (c controlCaller) May(scope string) bool                    { return c.identity.May(scope) }
func (c controlCaller) Origin(t store.Through) store.Origin      { return c.origin(t) }
func (c controlCaller) Headers() map[string]string               { return c.headers }
func (c controlCaller) Credential() string                       { return c.bearer }
func (c controlCaller) Hold(ctx context.Context) controlapi.Held { return c.srv.hold(ctx, c.caller) }
func (c controlCaller) Weigh(threads int) {
	c.srv.byUser.charge(c.caller.user, threads/threadsOfRequest)
}
func (c controlCaller) MayInput() *protocol.RunError { return c.srv.mayInput(c.caller) }

// Wait counts a request that waits as one of the connections that stay open.
func (c controlCaller) Wait(ctx context.Context) (context.Context, func(), *refusal.Refusal) {
	if refused := c.srv.reserve(c.user, c.address, &c.srv.opts); refused != nil {
		return nil, nil, refused
	}
	ctx, end := context.WithCancelCause(ctx)
	expired := &refusal.Error{Refusal: refuseCredential}
	w := &waiting{srv: c.srv, end: end, revoked: c.identity.Revoked}
	c.srv.track(w)
	unwatch := c.srv.revocations.watch(c.identity.Revoked, w)
	var expiry *time.Timer
	if !c.identity.Expires.IsZero() {
		expiry = time.AfterFunc(time.Until(c.identity.Expires), func() { end(expired) })
	}
	w.poke()
	return ctx, func() {
		if expiry != nil {
			expiry.Stop()
		}
		unwatch()
		c.srv.untrack(w)
		end(nil)
		c.srv.unreserve(c.user, c.address)
	}, nil
}

// waiting is a request that waits for something to answer.
type waiting struct {
	srv     *core
	end     context.CancelCauseFunc
	revoked <-chan struct{}
}

func (w *waiting) cut(why *closing) { w.end(why) }

func (w *waiting) poke() {
	select {
	case <-w.revoked:
		w.end(&refusal.Error{Refusal: refuseCredential})
	case <-w.srv.drain:
		w.end(&refusal.Error{Refusal: refuseDraining})
	default:
	}
}
