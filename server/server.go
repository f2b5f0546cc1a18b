package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"github.com/aguiws/aguiws/adapter"
)

// A Server carries the runs of one adapter.Runner to clients. Make it with New;
// its methods may be called concurrently.
type Server struct {
	opts         Options
	runs         backend
	capabilities json.RawMessage
	inbound      *semaphore.Weighted
	waiting      waiting

	draining atomic.Bool
	drain    chan struct{} // closed when draining begins
	leave    chan struct{} // closed when sockets are to close

	mu       sync.Mutex
	sockets  map[*socket]struct{}
	open     int            // sockets, those in their handshake included
	users    map[string]int // sockets by user
	handlers sync.WaitGroup
	http     []*http.Server
}

// New returns a server of the runner's runs. It refuses options that cannot
// work.
func New(r *adapter.Runner, opts *Options) (*Server, error) {
	return newServer(runner{r}, opts)
}

func newServer(b backend, opts *Options) (*Server, error) {
	s := &Server{
		opts:    opts.withDefaults(),
		runs:    b,
		drain:   make(chan struct{}),
		leave:   make(chan struct{}),
		sockets: map[*socket]struct{}{},
		users:   map[string]int{},
	}
	s.inbound = semaphore.NewWeighted(s.opts.InboundBytes)
	for _, list := range [][]string{s.opts.Hosts, s.opts.Origins} {
		if slices.Contains(list, "*") {
			return nil, errors.New("server: every host and origin must be named, * is not a name")
		}
	}
	var err error
	if s.capabilities, err = withTransport(b.Capabilities()); err != nil {
		return nil, fmt.Errorf("server: capabilities: %w", err)
	}
	return s, nil
}

// Handler serves the paths that the package comment lists.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/agui/ws", s.serveSocket)
	mux.HandleFunc("/agui/{agent}/ws", s.serveSocket)
	mux.HandleFunc("GET /agui/capabilities", s.serveCapabilities)
	mux.HandleFunc("GET /agui/{agent}/capabilities", s.serveCapabilities)
	mux.Handle("/", s.opts.Fallback)

	outer := http.NewServeMux()
	outer.HandleFunc("GET /healthz", s.serveHealth)
	outer.HandleFunc("GET /readyz", s.serveReady)
	outer.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if refused := s.checkAddress(r); refused != nil {
			refused.write(w)
			return
		}
		mux.ServeHTTP(w, r)
	})
	return outer
}

// Shutdown refuses new sockets, tells the open ones, shuts the runner down,
// writes what its runs ended with, closes the sockets with 1012 and ends what
// Serve began. When ctx ends first, what is still open is cut off and ctx's
// error returned. It may be called once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.draining.Store(true)
	s.mu.Unlock()
	close(s.drain)
	err := s.runs.Shutdown(ctx)

	close(s.leave)
	closed := make(chan struct{})
	go func() {
		s.handlers.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		s.cutOff()
		<-closed
		err = errors.Join(err, ctx.Err())
	}
	s.mu.Lock()
	servers := s.http
	s.mu.Unlock()
	for _, h := range servers {
		err = errors.Join(err, h.Shutdown(ctx))
	}
	return err
}

// cutOff ends every socket without a close frame.
func (s *Server) cutOff() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sock := range s.sockets {
		sock.cut(closeGone)
	}
}

// reserve counts a socket before its handshake is answered.
func (s *Server) reserve(user string) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.draining.Load():
		return refuseDraining
	case s.open >= s.opts.Sockets:
		return refuseOverload
	case user != "" && s.users[user] >= s.opts.SocketsPerUser:
		return refuseUser
	}
	s.open++
	if user != "" {
		s.users[user]++
	}
	s.handlers.Add(1)
	return nil
}

func (s *Server) unreserve(user string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	if user != "" {
		if s.users[user]--; s.users[user] == 0 {
			delete(s.users, user)
		}
	}
	s.handlers.Done()
}

func (s *Server) track(sock *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets[sock] = struct{}{}
}

func (s *Server) untrack(sock *socket) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, sock)
}
