package server

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/copilotkit"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// copilotkit is CopilotKit's runtime on this server.
func (s *Server) copilotkit() *copilotkit.Runtime {
	stops := func(agent string) bool { return s.opts.onDisconnect(routeCopilotKit, agent) == DisconnectStop }
	c := copilotkit.Config{
		Enter: func(r *http.Request) (copilotkit.Caller, *refusal.Refusal) {
			c, refused := s.gate.Enter(r)
			if refused != nil {
				return nil, refused
			}
			return s.streams.CopilotCaller(r.Context(), c, stops), nil
		},
		Agents:      s.opts.Agents,
		Describe:    s.describeAgent,
		CallTimeout: s.opts.CallTimeout, MaxBodyBytes: s.opts.MaxFrameBytes, Logger: s.opts.Logger,
	}
	if s.opts.Suggest != nil {
		c.Suggest = s.suggest
	}
	return copilotkit.New(c)
}

// describeAgent tells of an agent what its capabilities do.
func (s *Server) describeAgent(ctx context.Context, name string) (string, json.RawMessage) {
	name, _ = s.gate.AgentNamed(name)
	caps := s.capabilitiesOf(ctx, name)
	var who struct{ Identity protocol.IdentityCapabilities }
	_ = json.Unmarshal(caps, &who) // they were read before, or made here
	return who.Identity.Description, caps
}

func (s *Server) suggest(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]copilotkit.Suggestion, error) {
	agent, _ = s.gate.AgentNamed(agent)
	found, err := s.opts.Suggest(ctx, agent, in)
	list := make([]copilotkit.Suggestion, len(found))
	for i, f := range found {
		list[i] = copilotkit.Suggestion(f)
	}
	return list, err
}
