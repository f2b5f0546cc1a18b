// Package peer is about who the other side is: its credential, address and origin, and what
// it may take. A Gate lets callers in, and a Peer is one whose connection stays open.
package peer

import (
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/meter"
)

// Options say who may come in. server.Options describes each.
type Options struct {
	Auth           identity.Authenticator
	Hosts, Origins []string
	PassHeaders    []string
	TrustedProxies []netip.Prefix
	// Agents are those that are served by name, and Default is what the default one is
	// called; "": it has no name.
	Agents      []string
	Default     string
	CallTimeout time.Duration
	Logger      *slog.Logger
	Limits
}

// Limits bound what clients may take. server.Options describes each.
type Limits struct {
	Sockets, SocketsPerUser, SocketsPerAddress int

	RequestsPerAddress, RequestsPerUser float64
	AddressBurst, UserBurst             int // requests at once
	InputsPerMinute                     float64
	InputBurst                          int
	AttachesPerMinute                   float64
	AttachBurst                         int

	HeldBytes, HeldPerUser, HeldPerAddress int64
	MemoryLimit                            int64
}

// Gate decides who may come in, and how much they may take.
type Gate struct {
	Options            Options
	Budget             *budget.Budget
	overShares         rate.Sometimes // the log was told of users who hold too much
	Memory             memory
	Metrics            *meter.Counters
	Revocations        revocations
	proxyWarning       sync.Once
	Pages              pages
	passes             []string // names of headers that go along
	refusedPages       refusedPages
	refusedCredentials refusedCredentials
	byAddress          *limiters // requests
	Probing            *limiters // by address: a balancer's probes have no part in what its clients may
	ByUser             *limiters // requests
	inputs             *limiters // by user
	Attaches           *limiters // by user
	connections
	Drain chan struct{} // closed when draining begins
	Leave chan struct{} // closed when sockets are to close
}

// Close lets nobody in any more, and says so.
func (g *Gate) Close() {
	g.connections.close()
	close(g.Drain)
}

// NewGate refuses options that cannot work.
func NewGate(opts Options, counts *meter.Counters) (*Gate, error) {
	g := &Gate{Options: opts, Metrics: counts, overShares: rate.Sometimes{Interval: time.Minute}, Drain: make(chan struct{}), Leave: make(chan struct{})}
	g.connections = newConnections(&g.Options.Limits)
	if slices.Contains(opts.Hosts, "*") {
		return nil, errors.New("server: every host must be named, * is not a name")
	}
	var err error
	if g.passes, err = passable(opts.PassHeaders); err != nil {
		return nil, fmt.Errorf("server: PassHeaders: %w", err)
	}
	if g.Pages, err = newPages(&opts); err != nil {
		return nil, fmt.Errorf("server: origins: %w", err)
	}
	g.byAddress = newLimiters(opts.RequestsPerAddress, opts.AddressBurst)
	g.Probing = newLimiters(opts.RequestsPerAddress, opts.AddressBurst)
	g.byAddress.bySite()
	g.Probing.bySite()
	g.ByUser = newLimiters(opts.RequestsPerUser, opts.UserBurst)
	g.inputs = newLimiters(opts.InputsPerMinute/60, opts.InputBurst)
	g.Attaches = newLimiters(opts.AttachesPerMinute/60, opts.AttachBurst)
	g.Budget = budget.New(budget.Options{Total: opts.HeldBytes, User: opts.HeldPerUser, Address: opts.HeldPerAddress, Patience: opts.CallTimeout * 3 / 4})
	g.Memory.log = opts.Logger
	g.Memory.Watch(opts.MemoryLimit, liveMemory)
	return g, nil
}
