package server

import (
	"net/http"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// controlAPI is the control API on this server.
func (s *core) controlAPI() *controlapi.API {
	return controlapi.New(controlapi.Config{
		Runner: s.control,
		Enter: func(r *http.Request) (controlapi.Caller, *refusal.Refusal) {
			c, refused := s.enter(r)
			return controlCaller{s, c}, refused
		},
		HasAgent: s.hasAgent, CallTimeout: s.opts.CallTimeout, MaxBodyBytes: s.opts.MaxFrameBytes, Logger: s.opts.Logger,
	})
}

// controlCaller is a caller as the control API knows one.
type controlCaller struct {
	srv *core
	*caller
}

func (c controlCaller) Namespace() string            { return c.identity.Namespace }
func (c controlCaller) Tenant() string               { return c.identity.Tenant }
func (c controlCaller) User() string                 { return c.name() }
func (c controlCaller) May(scope string) bool        { return c.identity.May(scope) }
func (c controlCaller) MayInput() *protocol.RunError { return c.srv.mayInput(c.caller) }
