package server

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// serveHealth says that the process runs, whatever the store does.
func (s *core) serveHealth(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, "ok\n")
}

// serveReady says whether the server wants traffic.
func (s *core) serveReady(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		refuseDraining.Write(w)
		return
	}
	if s.memory.short(shedSockets) {
		refuseMemory.Write(w)
		return
	}
	if !s.runs.StoreAvailable() {
		refuseStore.Write(w)
		return
	}
	if s.opts.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := s.opts.Ready(ctx); err != nil {
			s.opts.Logger.Warn("not ready", "error", err)
			refuseStore.Write(w)
			return
		}
	}
	io.WriteString(w, "ready\n")
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
	s.metrics.Handler().ServeHTTP(w, r)
}
