package conformance

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"
)

// replace lets the server's process be replaced. It is taken to be so when the
// server has ended a connection that was open before, and every socket of the case,
// and somebody answers at its address: a command that does nothing replaces nothing.
func (t *trial) replace(ctx context.Context, how func(context.Context) error) error {
	s, err := t.post(ctx)
	if err != nil {
		return err
	}
	defer s.leave()
	t.trace.add("", "#", "the server is replaced")
	for _, c := range t.clients {
		if h, ok := c.conn.(*httpConn); ok {
			h.doomed.Store(true)
		}
	}
	if err := how(ctx); err != nil {
		return fmt.Errorf("replacing the server: %w", err)
	}
	if err := s.relieved(ctx); err != nil {
		return failf("the server was not replaced: a connection from before is still open (%v)", err)
	}
	for name, c := range t.clients {
		if s, ok := c.conn.(interface{ ended() <-chan struct{} }); ok {
			if err := within(ctx, 2*t.target.timeout(), s.ended()); err != nil {
				return failf("the server was replaced, and the socket of client %s is still open", name)
			}
		}
		if c.conn != nil {
			c.conn.close()
			c.conn = nil
		}
	}
	if err := t.target.reachable(ctx); err != nil {
		return failf("the server is not back: %v", err)
	}
	t.trace.add("", "#", "the server is back")
	return nil
}

// sentinel is a connection that only the server ends.
type sentinel struct {
	over  <-chan struct{}
	most  time.Duration
	leave func()
}

// relieved waits for the sentinel's connection to be ended by the server.
func (s *sentinel) relieved(ctx context.Context) error { return within(ctx, s.most, s.over) }

// lingering is how long the end of a process may take to show on an idle connection.
// Servers end those that ask for nothing after a time, too, so it is short.
const lingering = 2 * time.Second

// post opens a sentinel: a socket, or over HTTP, where there is none to keep, a bare
// connection.
func (t *trial) post(ctx context.Context) (*sentinel, error) {
	if t.target.Over == Binding || t.target.Over == Plain {
		c := newClient("~", t.target.Over, t.trace)
		if err := t.connect(c, dialing{Subprotocols: []string{subprotocol}}); err != nil {
			return nil, err
		}
		return &sentinel{c.conn.(interface{ ended() <-chan struct{} }).ended(), 2 * t.target.timeout(), c.conn.close}, nil
	}
	conn, err := t.target.dial(ctx)
	if err != nil {
		return nil, err
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for buffer := make([]byte, 512); ; {
			if _, err := conn.Read(buffer); err != nil {
				return
			}
		}
	}()
	return &sentinel{over, lingering, func() {
		_ = conn.Close()
		<-over
	}}, nil
}

func within(ctx context.Context, most time.Duration, done <-chan struct{}) error {
	ctx, cancel := context.WithTimeoutCause(ctx, most, errPatience)
	defer cancel()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// dial opens a bare connection to where the server is.
func (t *Target) dial(ctx context.Context) (net.Conn, error) {
	u, err := url.Parse(t.URL)
	if err != nil {
		return nil, err
	}
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https" || u.Scheme == "wss":
		port = "443"
	default:
		port = "80"
	}
	var d net.Dialer
	return d.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), port))
}

// Answers reports whether somebody takes connections where the server should be.
func (t *Target) Answers(ctx context.Context) error {
	conn, err := t.dial(ctx)
	if err != nil {
		return err
	}
	return conn.Close()
}

// reachable waits until somebody answers.
func (t *Target) reachable(ctx context.Context) error {
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for {
		err := t.Answers(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}
