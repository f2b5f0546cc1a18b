package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/conn"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/edge"
	"github.com/aguiws/aguiws/server/internal/ops"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/sse"
	"github.com/aguiws/aguiws/server/internal/ws"
	"github.com/aguiws/aguiws/server/login"
)

// A Server carries the runs of one runner.Runner to clients. Make it with New;
// its methods may be called concurrently.
type Server struct {
	opts      Options
	control   *runner.Runner // nil: there is no control API
	gate      *peer.Gate
	core      *core.Core
	sockets   *ws.Sockets
	streams   *sse.Streams
	edge      *edge.Edge
	work      *ops.Work   // nil: there is none
	nodes     *ops.Node   // nil: there are none
	logins    *login.Desk // nil: there are none
	readiness ops.Readiness

	capabilities json.RawMessage
	identified   map[string]json.RawMessage    // capabilities with what is an agent's own
	asked        map[string]*askedCapabilities // of agents that say them themselves

	mu        sync.Mutex
	http      []*http.Server
	listeners []net.Listener
}

// New returns a server of the runner's runs. It refuses options that cannot
// work.
func New(r *runner.Runner, opts *Options) (*Server, error) {
	return newServer(core.Runner{Runner: r}, r, opts)
}

// newServer makes a server of a backend, and of the runner behind it. Without a runner
// there is no control API, no login and nothing of a node.
func newServer(b core.Backend, r *runner.Runner, opts *Options) (*Server, error) {
	s := &Server{opts: opts.withDefaults(), control: r}
	if s.opts.SignIn != nil {
		if _, none := s.opts.Auth.(identity.None); none {
			return nil, errSignInOfNobody
		}
		s.opts.Auth = s.opts.SignIn.Beside(s.opts.Auth)
	}
	if r != nil && s.opts.Logins != nil {
		if _, none := s.opts.Auth.(identity.None); none != s.opts.Logins.OneUser() {
			return nil, errors.New("server: Options.Logins: login.Options.OneUser is for identity.None, and for nothing else")
		}
		s.logins = login.NewDesk(s.opts.Logins, r)
	}
	if r != nil {
		s.opts.Logger = r.StoreLog(s.opts.Logger)
	}
	err := s.nameAgents(r, b.DefaultAgent())
	if err != nil {
		return nil, err
	}
	counts := s.opts.Metrics.Counters()
	if s.gate, err = peer.NewGate(s.opts.gate(b.DefaultAgent()), counts); err != nil {
		return nil, err
	}
	if err := CheckOnDisconnect(s.opts.OnDisconnect, append([]string{b.DefaultAgent()}, s.opts.Agents...)); err != nil {
		return nil, fmt.Errorf("server: OnDisconnect: %w", err)
	}
	if err := s.describe(b); err != nil {
		return nil, err
	}
	s.core = core.New(s.gate, b, s.opts.DisconnectGrace)
	s.sockets = ws.New(s.core, s.opts.sockets(s.capabilitiesOf))
	s.streams = sse.New(s.core, s.opts.streams())
	if err := s.checkBase(); err != nil {
		return nil, err
	}
	s.edge = s.newEdge()
	s.collect(r)
	if r != nil {
		r.OnCancelled(s.core.Awaiting.Pay)
		s.nodes = ops.NewNode(ops.Options{Store: s.opts.Store, Agents: s.opts.Agents, Counters: counts, Load: r.Load, Available: s.core.Runs.StoreAvailable, Drain: s.gate.Drain})
	}
	return s, nil
}

// alerted are the codes that packaging/prometheus asks for. They begin at 0: increase() of a
// series that begins at 1 is 0, and nobody would hear of the first.
var alerted = []string{
	refusal.CodeOverloaded, refusal.CodeRateLimited, refusal.CodeTooManySockets,
	adapter.CodeTooManyRuns, adapter.CodeThreadQuota, adapter.CodeThreadTooLarge, adapter.CodeStateCorrupted,
}

// collect registers what is counted when it is asked for. Of several servers of one
// registry the first counts.
func (s *Server) collect(r *runner.Runner) {
	for _, code := range alerted {
		s.opts.Metrics.Counters().Refusals.WithLabelValues(code)
	}
	registry := s.opts.Metrics.Registry()
	if r != nil {
		_ = registry.Register(ops.NewLoad(r.Load))
		s.work = ops.NewWork(r.WorkStats)
		_ = registry.Register(s.work)
	}
	_ = registry.Register(ops.NewHeld(s.gate.Budget.Usage))
	_ = registry.Register(ops.NewMemoryUsed(s.gate.Memory.Share))
	if s.opts.Webhooks != nil {
		_ = registry.Register(ops.NewOwed(s.opts.Webhooks))
	}
}

// Shutdown refuses new sockets, tells the open ones, shuts the runner down,
// writes what its runs ended with, closes the sockets with 1012 and ends what
// Serve began. Trusted proxies have six seconds to close the connections that they keep.
// When ctx ends first, its error is returned, and what is still open a second later is cut
// off. It may be called once.
func (s *Server) Shutdown(ctx context.Context) error {
	s.gate.Close()
	s.core.Left.Finish()
	s.gate.PokeAll()
	err := s.core.Runs.Shutdown(ctx)

	close(s.gate.Leave)
	s.refuse()
	s.edge.Hurry()
	s.gate.PokeAll()
	err = errors.Join(err, s.gate.Wait(ctx, conn.Farewell))
	s.nodes.Leave()
	s.core.Notices.Close()
	s.gate.Revocations.Running.Wait()
	s.sockets.Close()
	s.edge.Settle(ctx)
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
