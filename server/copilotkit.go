package server

import (
	"context"
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/copilotkit"
)

// copilotkit is CopilotKit's runtime on this server.
func (s *Server) copilotkit() *copilotkit.Runtime {
	c := copilotkit.Config{
		Describe:     s.describeAgent,
		Stops:        func(agent string) bool { return s.opts.onDisconnect(routeCopilotKit, agent) == DisconnectStop },
		MaxBodyBytes: s.opts.MaxFrameBytes,
	}
	if s.opts.Suggest != nil {
		c.Suggest = s.suggest
	}
	return copilotkit.New(s.streams, c)
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
	found, err := s.opts.Suggest(ctx, agent, in)
	list := make([]copilotkit.Suggestion, len(found))
	for i, f := range found {
		list[i] = copilotkit.Suggestion(f)
	}
	return list, err
}
