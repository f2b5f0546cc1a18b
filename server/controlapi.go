package server

import "github.com/aguiws/aguiws/server/internal/controlapi"

// controlAPI is the control API on this server.
func (s *Server) controlAPI() *controlapi.API {
	return controlapi.New(controlapi.Config{
		Gate: s.gate, Runner: s.control, Notices: s.core.Notices, Record: s.core.Runs, Webhooks: s.opts.Webhooks, Logins: s.logins, Work: s.work.WorkStats, Upstreams: s.opts.Metrics.Upstreams,
		Nodes: s.nodes.Nodes, Store: s.nodes.Store, Agents: s.agents, MaxBodyBytes: s.opts.MaxFrameBytes,
	})
}
