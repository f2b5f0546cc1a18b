package server

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/peer"
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
	if _, none := s.opts.Auth.(identity.None); none && peer.Public(l.Addr()) {
		l.Close()
		return fmt.Errorf("server: %s can be reached from other machines, and nobody is authenticated: listen on 127.0.0.1, or set an authenticator", l.Addr())
	}
	return nil
}

// Serve answers requests on l until Shutdown, then returns nil. It refuses
// what Listen does, and closes l. It does more for its connections than Handler can. It
// bounds the time of a TLS handshake and of a header. It closes idle connections. It bounds
// how many may be open without a request of somebody (Options.Strangers), and lets none of
// those hold up Shutdown.
func (s *Server) Serve(l net.Listener) error {
	if err := s.checkListener(l); err != nil {
		return err
	}
	h := s.edge.Server(s.Handler())
	s.mu.Lock()
	if s.gate.Closed() {
		s.mu.Unlock()
		l.Close()
		return nil
	}
	s.http, s.listeners = append(s.http, h), append(s.listeners, l)
	s.mu.Unlock()
	if err := h.Serve(edge.Gathering(l)); !errors.Is(err, http.ErrServerClosed) && !s.gate.Closed() {
		return fmt.Errorf("server: serve: %w", err)
	}
	return nil
}

// refuse takes no new connection any more. It comes before connections are told to end: a
// proxy that opens one in their place then asks another server, also by POST.
func (s *Server) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listeners {
		l.Close()
	}
}

// Aside is a server for a handler that only the operator reaches, on a listener of
// its own. Its connections are bounded as those of Serve are.
func Aside(handler http.Handler, log *slog.Logger) *http.Server {
	e := edge.New(edge.Options{WriteTimeout: 10 * time.Second, Strangers: asideConnections, StrangersPerAddress: -1, Log: log})
	h := e.Server(e.Handler(handler))
	h.RegisterOnShutdown(e.Hurry)
	return h
}

// asideConnections may be open to an operator.
const asideConnections = 256

// newEdge bounds the connections of Serve and the requests of Handler.
func (s *Server) newEdge() *edge.Edge {
	return edge.New(edge.Options{
		WriteTimeout: s.opts.WriteTimeout, Strangers: s.opts.Strangers, StrangersPerAddress: s.opts.StrangersPerAddress,
		Address: s.gate.StrangerAddress, Proxy: s.gate.IsProxy, Counted: func(n int) { s.gate.Metrics.Strangers.Add(float64(n)) }, Displaced: s.gate.Metrics.Displaced.Inc,
		Log: s.opts.Logger,
	})
}
