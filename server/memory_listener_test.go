package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"testing"

	agui "github.com/aguiws/aguiws/client"

	"github.com/aguiws/aguiws/server/internal/core"
)

// pipes is a listener whose connections are in memory, so that a server and
// its clients fit into a synctest bubble.
type pipes struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// piped serves a backend to connections in memory. end, called when these are
// closed, shuts it down.
func piped(t *testing.T, b core.Backend, opts *Options) (s *Server, p *pipes, end func()) {
	t.Helper()
	if opts == nil {
		opts = &Options{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	s, err := newServer(b, nil, opts)
	if err != nil {
		t.Fatal(err)
	}
	p = &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- s.Serve(p) }()
	return s, p, func() {
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
	}
}

// bubble serves a backend inside a synctest bubble and dials it. The client's
// end of the connection comes with it.
func bubble(t *testing.T, b core.Backend, opts *Options, subprotocols ...string) (*Server, *client, net.Conn) {
	t.Helper()
	s, p, end := piped(t, b, opts)
	near, far := net.Pipe()
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		p.conns <- far
		return tap(near), nil
	}}
	ws, err := agui.Open(context.Background(), "ws://localhost/agui/ws", &agui.DialOptions{
		HTTPClient: &http.Client{Transport: transport}, Subprotocols: append([]string{}, subprotocols...)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ws.CloseNow()
		end()
		transport.CloseIdleConnections()
	})
	return s, &client{t, ws}, near
}
