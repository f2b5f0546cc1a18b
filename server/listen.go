package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// Listen listens on a TCP address for Serve. It refuses one that other machines
// can reach while Options.Auth is None.
func (s *Server) Listen(addr string) (net.Listener, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := s.checkListener(l); err != nil {
		return nil, err
	}
	return l, nil
}

// checkListener closes a listener that it refuses.
func (s *Server) checkListener(l net.Listener) error {
	if _, none := s.opts.Auth.(identity.None); none && public(l.Addr()) {
		l.Close()
		return fmt.Errorf("server: %s can be reached from other machines, and nobody is authenticated: listen on 127.0.0.1, or set an authenticator", l.Addr())
	}
	return nil
}

// Serve answers requests on l until Shutdown, then returns nil. It refuses
// what Listen does, and closes l.
func (s *Server) Serve(l net.Listener) error {
	if err := s.checkListener(l); err != nil {
		return err
	}
	h := &http.Server{
		Handler:           s.Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ConnContext:       withConnection,
		ConnState:         forgetDeadline,
		ErrorLog:          slog.NewLogLogger(s.opts.Logger.Handler(), slog.LevelWarn),
	}
	s.mu.Lock()
	if s.draining.Load() {
		s.mu.Unlock()
		l.Close()
		return nil
	}
	s.http = append(s.http, h)
	s.mu.Unlock()
	if err := h.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("server: serve: %w", err)
	}
	return nil
}
