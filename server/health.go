package server

import (
	"context"
	"io"
	"net/http"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// serveHealth says that the process runs, whatever the store does.
func (s *Server) serveHealth(w http.ResponseWriter, r *http.Request) {
	if refused := s.gate.SlowDownBy(s.gate.Probing, r); refused != nil {
		refused.Write(w)
		return
	}
	io.WriteString(w, "ok\n")
}

// serveReady says whether the server wants traffic.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	refused := s.gate.SlowDownBy(s.gate.Probing, r)
	switch {
	case refused != nil:
	case s.gate.Closed():
		refused = peer.RefuseDraining
	case s.gate.Memory.Short(peer.ShedSockets):
		refused = peer.RefuseMemory
	case !s.core.Runs.StoreAvailable():
		refused = peer.RefuseStore
	case s.opts.Ready != nil && s.readiness.Ask(r.Context(), s.ready) != nil:
		refused = peer.RefuseStore
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	io.WriteString(w, "ready\n")
}

func (s *Server) ready(ctx context.Context) error {
	err := s.opts.Ready(ctx)
	if err != nil {
		s.opts.Logger.Warn("not ready", "error", err)
	}
	return err
}

// serveMetrics answers with the metrics to who may see them.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request) {
	c, refused := s.gate.Enter(r)
	if refused == nil && !c.Identity.May(identity.ScopeMetrics) {
		refused = peer.RefuseScope
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	s.opts.Metrics.Handler().ServeHTTP(w, r)
}
