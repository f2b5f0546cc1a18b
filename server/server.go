package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/login"
)

// A Server carries the runs of one runner.Runner to clients. Make it with New;
// its methods may be called concurrently.
type Server struct {
	core
	http []*http.Server
}

// New returns a server of the runner's runs. It refuses options that cannot
// work.
func New(r *runner.Runner, opts *Options) (*Server, error) {
	return newServer(runnerBackend{r}, r, opts)
}

// newServer makes a server of a backend, and of the runner behind it. Without a runner
// there is no control API, no login and nothing of a node.
func newServer(b backend, r *runner.Runner, opts *Options) (*Server, error) {
	s := &Server{core: core{
		opts:        opts.withDefaults(),
		quiet:       time.Second,
		drain:       make(chan struct{}),
		leave:       make(chan struct{}),
		connections: connections{sockets: map[connection]struct{}{}, users: map[string]int{}, addrs: map[string]int{}},
	}}
	s.left.of, s.left.looks = map[store.ThreadKey][]*leftRun{}, make(chan struct{}, maxLooks)
	s.metrics = s.opts.Metrics
	if r != nil {
		_ = s.metrics.registry.Register(newLoad(r.Load)) // of several servers the first counts
		s.work = newWork(r.WorkStats)
		_ = s.metrics.registry.Register(s.work)
	}
	s.runs = meteredBackend{b, s.metrics}
	s.control = r
	s.notices = s.newNotices(b)
	if r != nil && s.opts.Logins != nil {
		if _, none := s.opts.Auth.(identity.None); none != s.opts.Logins.OneUser() {
			return nil, errors.New("server: Options.Logins: login.Options.OneUser is for identity.None, and for nothing else")
		}
		s.logins = login.NewDesk(s.opts.Logins, r)
	}
	if r != nil {
		r.OnCancelled(s.awaiting.pay)
		s.opts.Logger = r.StoreLog(s.opts.Logger)
	}
	b.OnStore(s.storeChanged)
	s.storeChanged()
	s.edge = s.newEdge()
	fromAddress := cmp.Or(s.opts.RequestBurst, burst(2*s.opts.RequestsPerAddress))
	s.byAddress = newLimiters(s.opts.RequestsPerAddress, fromAddress)
	s.probing = newLimiters(s.opts.RequestsPerAddress, fromAddress)
	s.byAddress.bySite()
	s.probing.bySite()
	s.byUser = newLimiters(s.opts.RequestsPerUser, cmp.Or(s.opts.RequestBurst, burst(4*s.opts.RequestsPerUser)))
	s.inputs = newLimiters(s.opts.InputsPerMinute/60, s.opts.InputBurst)
	s.attaches = newLimiters(s.opts.AttachesPerMinute/60, s.opts.AttachBurst)
	s.budget = budget.New(budget.Options{Total: s.opts.HeldBytes, User: s.opts.HeldPerUser, Address: s.opts.HeldPerAddress, Patience: s.opts.CallTimeout * 3 / 4})
	_ = s.metrics.registry.Register(newHeld(s.budget.Usage))
	s.memory.limit, s.memory.log = s.opts.MemoryLimit, s.opts.Logger
	_ = s.metrics.registry.Register(&s.memory)
	if s.opts.Webhooks != nil {
		_ = s.metrics.registry.Register(newOwed(s.opts.Webhooks))
	}
	err := s.nameAgents(b.DefaultAgent())
	if err != nil {
		return nil, err
	}
	if slices.Contains(s.opts.Hosts, "*") {
		return nil, errors.New("server: every host must be named, * is not a name")
	}
	if s.passes, err = passable(s.opts.PassHeaders); err != nil {
		return nil, fmt.Errorf("server: PassHeaders: %w", err)
	}
	if s.pages, err = newPages(&s.opts); err != nil {
		return nil, fmt.Errorf("server: origins: %w", err)
	}
	if err := CheckOnDisconnect(s.opts.OnDisconnect, append([]string{s.byDefault}, s.opts.Agents...)); err != nil {
		return nil, fmt.Errorf("server: OnDisconnect: %w", err)
	}
	if s.capabilities, err = withTransport(b.Capabilities()); err != nil {
		return nil, fmt.Errorf("server: capabilities: %w", err)
	}
	if s.identified, err = withIdentities(s.capabilities, s.opts.Identities); err != nil {
		return nil, fmt.Errorf("server: identities: %w", err)
	}
	if err := s.announce(b.Unanswered); err != nil {
		return nil, fmt.Errorf("server: capabilities: %w", err)
	}
	s.askFor(s.opts.Capabilities)
	if r != nil {
		s.operate(r.Load)
	}
	return s, nil
}

// nameAgents lists the agents by their names, and with them the default one if it has a
// name.
func (s *Server) nameAgents(byDefault string) error {
	if s.byDefault = byDefault; byDefault != "" && !slices.Contains(s.opts.Agents, byDefault) {
		s.opts.Agents = append([]string{byDefault}, s.opts.Agents...)
	}
	for _, name := range s.opts.Agents {
		if err := CheckAgentName(name); err != nil {
			return fmt.Errorf("server: %w", err)
		}
	}
	return nil
}

// Shutdown refuses new sockets, tells the open ones, shuts the runner down,
// writes what its runs ended with, closes the sockets with 1012 and ends what
// Serve began. When ctx ends first, its error is returned, and what is still
// open a second later is cut off. It may be called once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.draining.Store(true)
	s.mu.Unlock()
	close(s.drain)
	s.left.end()
	s.pokeAll()
	err := s.runs.Shutdown(ctx)

	close(s.leave)
	s.edge.Hurry()
	s.pokeAll()
	closed := make(chan struct{})
	go func() {
		s.handlers.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-ctx.Done():
		// Runs that do not end in time take all of ctx. Their clients are told
		// all the same.
		patience := time.NewTimer(conn.Farewell)
		defer patience.Stop()
		select {
		case <-closed:
		case <-patience.C:
			s.cutOff()
			<-closed
		}
		err = errors.Join(err, ctx.Err())
	}
	s.nodes.leave()
	s.notices.Close()
	s.revocations.running.Wait()
	s.parking.Close()
	s.mu.Lock()
	servers := s.http
	s.mu.Unlock()
	for _, h := range servers {
		if failed := h.Shutdown(ctx); failed != nil {
			err = errors.Join(err, failed)
			h.Close()
		}
	}
	return err
}
