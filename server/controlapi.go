package server

import (
	"context"
	"net/http"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// controlAPI is the control API on this server.
func (s *Server) controlAPI() *controlapi.API {
	return controlapi.New(controlapi.Config{
		Runner: s.control, Notices: s.core.Notices, Record: s.core.Runs, Webhooks: s.opts.Webhooks, Logins: s.logins, Work: s.work.WorkStats, Upstreams: s.opts.Metrics.Upstreams,
		Nodes: s.nodes.Nodes, Store: s.nodes.Store,
		Enter: func(r *http.Request) (controlapi.Caller, *refusal.Refusal) {
			c, refused := s.gate.Enter(r)
			return controlCaller{s, c}, refused
		},
		Stranger: func(r *http.Request) controlapi.Caller { return controlCaller{s, s.gate.Stranger(r)} },
		Agents:   s.agents, AgentNamed: s.gate.AgentNamed, CallTimeout: s.opts.CallTimeout, MaxBodyBytes: s.opts.MaxFrameBytes, Logger: s.opts.Logger,
	})
}

// controlCaller is a caller as the control API knows one.
type controlCaller struct {
	srv *Server
	of  *peer.Caller
}

func (c controlCaller) Who() identity.Identity              { return c.of.Identity }
func (c controlCaller) Namespace() string                   { return c.of.Identity.Namespace }
func (c controlCaller) Tenant() string                      { return c.of.Identity.Tenant }
func (c controlCaller) User() string                        { return c.of.Name() }
func (c controlCaller) NameOf(user string) string           { return c.of.NameOf(user) }
func (c controlCaller) May(scope string) bool               { return c.of.Identity.May(scope) }
func (c controlCaller) Origin(t store.Through) store.Origin { return c.of.Origin(t) }
func (c controlCaller) Headers() map[string]string          { return c.of.Headers }
func (c controlCaller) Credential() string                  { return c.of.Bearer }
func (c controlCaller) Hold(ctx context.Context) controlapi.Held {
	return c.srv.gate.Hold(ctx, c.of)
}
func (c controlCaller) Weigh(threads int) {
	c.srv.gate.ByUser.Charge(c.of.User, threads/peer.ThreadsOfRequest)
}
func (c controlCaller) Wait(ctx context.Context) (context.Context, func(), *refusal.Refusal) {
	return c.srv.gate.Await(ctx, c.of)
}
func (c controlCaller) MayInput() *protocol.RunError { return c.srv.gate.MayInput(c.of) }
