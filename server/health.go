package server

import (
	"context"
	"io"
	"net/http"

	"github.com/aguiws/aguiws/server/identity"
)

// serveHealth says that the process runs, whatever the store does.
func (s *core) serveHealth(w http.ResponseWriter, r *http.Request) {
	if refused := s.slowDownBy(s.probing, r); refused != nil {
		refused.Write(w)
		return
	}
	io.WriteString(w, "ok\n")
}

// serveReady says whether the server wants traffic.
func (s *core) serveReady(w http.ResponseWriter, r *http.Request) {
	refused := s.slowDownBy(s.probing, r)
	switch {
	case refused != nil:
	case s.draining.Load():
		refused = refuseDraining
	case s.memory.short(shedSockets):
		refused = refuseMemory
	case !s.runs.StoreAvailable():
		refused = refuseStore
	case s.opts.Ready != nil && s.readiness.ask(r.Context(), s.ready) != nil:
		refused = refuseStore
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	io.WriteString(w, "ready\n")
}

func (s *core) ready(ctx context.Context) error {
	err := s.opts.Ready(ctx)
	if err != nil {
		s.opts.Logger.Warn("not ready", "error", err)
	}
	return err
}

// serveMetrics answers with the metrics to who may see them.
func (s *core) serveMetrics(w http.ResponseWriter, r *http.Request) {
	c, refused := s.enter(r)
	if refused == nil && !c.identity.May(identity.ScopeMetrics) {
		refused = refuseScope
	}
	if refused != nil {
		refused.Write(w)
		return
	}
	s.opts.Metrics.Handler().ServeHTTP(w, r)
}
