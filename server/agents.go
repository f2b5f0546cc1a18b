package server

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

// reservedNames are those under /agui/ that are no agent's.
var reservedNames = []string{"ws", "capabilities", "threads"}

// CheckAgentName says why no agent can be served under a name, or nil.
func CheckAgentName(name string) error {
	if !strictjson.IsName(name) || slices.Contains(reservedNames, name) {
		return fmt.Errorf("an agent cannot be named %q: its path would mean something else, or is none", name)
	}
	return nil
}

// nameAgents lists the agents by their names, and with them the default one if it has a
// name. r is nil where it is not known which there are.
func (s *Server) nameAgents(r *runner.Runner, byDefault string) error {
	if byDefault != "" && !slices.Contains(s.opts.Agents, byDefault) {
		s.opts.Agents = append([]string{byDefault}, s.opts.Agents...)
	}
	for _, name := range s.opts.Agents {
		if err := CheckAgentName(name); err != nil {
			return fmt.Errorf("server: %w", err)
		}
		if r != nil && !r.HasAgent(name) {
			return fmt.Errorf("server: Options.Agents: there is no agent named %q in runner.Options.Agents", name)
		}
	}
	return nil
}

// agents are all that are served, the default one first. Each is asked for itself, so that
// one that is silent keeps nobody waiting for longer than it does alone.
func (s *Server) agents(ctx context.Context) []controlapi.Agent {
	byDefault, _ := s.gate.AgentNamed("")
	list := []controlapi.Agent{{Name: byDefault, Default: true}}
	for _, name := range s.opts.Agents {
		if name != byDefault {
			list = append(list, controlapi.Agent{Name: name})
		}
	}
	var asked sync.WaitGroup
	for i := range list {
		asked.Go(func() { list[i].Description, _ = s.describeAgent(ctx, list[i].Name) })
	}
	asked.Wait()
	return list
}
