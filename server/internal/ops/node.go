// Package ops is what operators are shown: this node among those that share its store,
// whether it is ready, and what is counted when it is asked for.
package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/build"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/meter"
)

// shared is a store as operators are shown it: server.Operated.
type shared interface {
	Node() string
	TellNode(ctx context.Context, about []byte) error
	Nodes(ctx context.Context) ([]store.NodeTold, error)
	Servers(ctx context.Context) ([]store.Server, error)
}

// Options are what a node tells of itself.
type Options struct {
	Store     shared // nil: the node is alone
	Agents    []string
	Counters  *meter.Counters
	Load      func() runner.Load
	Available func() bool     // the store is
	Drain     <-chan struct{} // closed when draining begins
}

const (
	// tellEvery is how often a node tells of itself.
	tellEvery = 5 * time.Second
	// silentAfter is after how long a node that tells nothing is called silent.
	silentAfter = 3 * tellEvery
	// operatedFor is for how long what the store was asked is not asked again, whoever
	// wants to know, and operatedTimeout how long one answer may take.
	operatedFor     = time.Second
	operatedTimeout = 2 * time.Second
)

// Node is this node among those that share its store.
type Node struct {
	st      shared // nil: it is alone
	started time.Time
	rates   rates
	about   func() controlapi.Node // as of now, without what its place in the store says

	told   *recently[[]store.NodeTold]
	served *recently[[]store.Server]
	over   chan struct{}
	loop   sync.WaitGroup
}

// NewNode begins to tell of this node. The caller calls Leave.
func NewNode(o Options) *Node {
	n := &Node{st: o.Store, started: time.Now(), over: make(chan struct{}), rates: rates{of: o.Counters},
		told: newRecently[[]store.NodeTold](), served: newRecently[[]store.Server]()}
	version, host := build.Version(), ""
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	n.about = func() controlapi.Node {
		carried := o.Load()
		about := controlapi.Node{Host: host, PID: os.Getpid(), State: "serving", Version: version, Go: runtime.Version(), Started: n.started.UTC(), Agents: slices.Clone(o.Agents),
			Runs: int64(carried.Runs), MaxRuns: int64(carried.MaxRuns), Memory: processMemory(), Available: o.Available()}
		if about.Agents == nil {
			about.Agents = []string{}
		}
		select {
		case <-o.Drain:
			about.State = "draining"
		default:
		}
		holds(o.Counters, &about)
		n.rates.into(&about)
		return about
	}
	n.rates.sample()
	if n.st != nil {
		n.loop.Go(func() { n.tell(o.Drain) })
	}
	return n
}

// tell goes on until the node leaves. A store that does not answer is no reason to speak of
// it: whoever needs the answer does.
func (n *Node) tell(drain <-chan struct{}) {
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		n.inTime(func(ctx context.Context) { _ = n.st.TellNode(ctx, n.text()) })
		select {
		case <-drain:
			drain = nil // it is told at once, and once
		case <-tick.C:
			n.rates.sample()
		case <-n.over:
			n.inTime(func(ctx context.Context) { _ = n.st.TellNode(ctx, nil) })
			return
		}
	}
}

func (n *Node) text() []byte {
	text, _ := json.Marshal(n.about()) // of numbers and texts
	return text
}

func (n *Node) inTime(ask func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), operatedTimeout)
	defer cancel()
	ask(ctx)
}

// Leave ends what NewNode began.
func (n *Node) Leave() {
	if n == nil {
		return
	}
	close(n.over)
	n.loop.Wait()
}

// Nodes implements controlapi.Operated. It needs no store for what this node knows of
// itself.
func (n *Node) Nodes(context.Context) ([]controlapi.Node, bool) {
	own := n.about()
	own.Self = true
	list := []controlapi.Node{own}
	if n.st == nil {
		return list, true
	}
	list[0].Node = n.st.Node()
	told, at, err := n.told.ask(n.st.Nodes)
	for _, t := range told {
		var about controlapi.Node
		if t.Node == own.Node || t.Node == list[0].Node || json.Unmarshal(t.About, &about) != nil {
			continue
		}
		age := t.Age + time.Since(at)
		about.Node, about.Heard, about.Self = t.Node, age.Milliseconds(), false
		if age > silentAfter {
			about.State = "silent"
		}
		if about.Agents == nil {
			about.Agents = []string{}
		}
		list = append(list, about)
	}
	slices.SortFunc(list, func(a, b controlapi.Node) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), a.Started.Compare(b.Started), cmp.Compare(a.Node, b.Node))
	})
	return list, err == nil
}

// Store implements controlapi.Operated.
func (n *Node) Store(context.Context) controlapi.StoreStatus {
	status := controlapi.StoreStatus{Available: n.about().Available, Servers: []controlapi.StoreServer{}}
	if n.st == nil {
		return status
	}
	servers, at, err := n.served.ask(n.st.Servers)
	status.Partial, status.Available = isPartial(err), status.Available && (err == nil || isPartial(err))
	if !at.IsZero() {
		status.At = at.UTC()
	}
	for _, of := range servers {
		one := controlapi.StoreServer{Address: of.Address, Version: of.Version, Latency: millis(of.Latency), Uptime: of.Uptime.Milliseconds(), Memory: of.Memory, Limit: of.Limit,
			Clients: of.Clients, Replicas: of.Replicas, PerSec: of.PerSec, Warnings: []controlapi.StoreWarning{}}
		status.Embedded = status.Embedded || of.Address == ""
		for _, w := range of.Warnings {
			one.Warnings = append(one.Warnings, controlapi.StoreWarning(w))
		}
		status.Servers = append(status.Servers, one)
	}
	return status
}

// recently is the latest answer to a question that is asked once a second at most, whoever
// wants to know.
type recently[T any] struct {
	turn  chan struct{} // held by who asks
	asked time.Time
	at    time.Time // of what follows; zero: nothing was answered yet
	value T
	err   error // of the latest question
}

func newRecently[T any]() *recently[T] { return &recently[T]{turn: make(chan struct{}, 1)} }

// ask returns the latest answer, when it came, and what became of the latest question. The
// first caller asks for all who ask meanwhile.
func (y *recently[T]) ask(question func(context.Context) (T, error)) (T, time.Time, error) {
	y.turn <- struct{}{}
	defer func() { <-y.turn }()
	if now := time.Now(); y.asked.IsZero() || now.Sub(y.asked) >= operatedFor {
		ctx, cancel := context.WithTimeout(context.Background(), operatedTimeout)
		defer cancel()
		var value T
		if value, y.err = question(ctx); y.err == nil || isPartial(y.err) {
			y.value, y.at = value, time.Now()
		}
		y.asked = time.Now()
	}
	return y.value, y.at, y.err
}
