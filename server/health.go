package server

import (
	"context"
	"io"
	"net/http"
	"time"
)

// serveHealth says that the process runs, whatever the store does.
func (s *Server) serveHealth(w http.ResponseWriter, _ *http.Request) {
	io.WriteString(w, "ok\n")
}

// serveReady says whether the server wants traffic.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	if s.draining.Load() {
		refuseDraining.Write(w)
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
