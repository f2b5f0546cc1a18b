package ops

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/meter"
	"github.com/aguiws/aguiws/server/metrics"
)

// board is what nodes tell each other, in memory.
type board struct {
	mu      sync.Mutex
	told    map[string]store.NodeTold
	at      map[string]time.Time
	asked   int
	failing error
	hangs   bool
}

// place is a node's at a board.
type place struct {
	*board
	name string
}

func (p place) Node() string { return p.name }

func (p place) TellNode(_ context.Context, about []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing != nil {
		return p.failing
	}
	if about == nil {
		delete(p.told, p.name)
		return nil
	}
	p.told[p.name], p.at[p.name] = store.NodeTold{Node: p.name, About: about}, time.Now()
	return nil
}

func (p place) Nodes(ctx context.Context) (list []store.NodeTold, err error) {
	p.mu.Lock()
	p.asked++
	hangs := p.hangs
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, n := range p.told {
		n.Age = time.Since(p.at[name])
		list = append(list, n)
	}
	return list, p.failing
}

func (p place) Servers(context.Context) ([]store.Server, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failing != nil {
		return nil, p.failing
	}
	return []store.Server{{Address: "r:1", Version: "7.0", Latency: 1500 * time.Microsecond, Memory: 5, Warnings: []store.ServerWarning{{Setting: "appendonly", Value: "no", Problem: "it forgets"}}}}, nil
}

// member is a node at a board, what it counts, and what makes it drain.
type member struct {
	*Node
	counts *meter.Counters
	drain  chan struct{}
}

func operated(b *board, name string) member {
	n := member{counts: metrics.New().Counters(), drain: make(chan struct{})}
	o := Options{Agents: []string{"script"}, Counters: n.counts, Drain: n.drain, Available: func() bool { return true },
		Load: func() runner.Load { return runner.Load{Runs: 2, MaxRuns: 9} }}
	if b != nil {
		o.Store = place{b, name}
	}
	n.Node = NewNode(o)
	return n
}

func newBoard() *board {
	return &board{told: map[string]store.NodeTold{}, at: map[string]time.Time{}}
}

// states are the nodes that one knows, with their states.
func states(n member) string {
	nodes, whole := n.Nodes(context.Background())
	text := fmt.Sprint(whole)
	for _, n := range nodes {
		text += fmt.Sprintf(" %s:%s", n.Node, n.State)
	}
	return text
}

func TestNodeNamesItsProcess(t *testing.T) {
	n := operated(nil, "one")
	defer n.Leave()
	nodes, _ := n.Nodes(context.Background())
	if len(nodes) != 1 || nodes[0].PID != os.Getpid() {
		t.Errorf("nodes are %+v, want this process", nodes)
	}
}

func wantStates(t *testing.T, n member, want string) {
	t.Helper()
	if got := states(n); got != want {
		t.Errorf("known is %q, not %q", got, want)
	}
}

func TestNodesKnowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard()
		one := operated(b, "one")
		time.Sleep(time.Second)
		two := operated(b, "two")
		two.counts.Started.Add(7)
		two.counts.Inputs.WithLabelValues("started").Add(3)
		two.counts.Inputs.WithLabelValues("refused").Inc()
		two.counts.StoreTime.WithLabelValues("read").Observe(0.003)
		time.Sleep(tellEvery + time.Second)
		wantStates(t, one, "true one:serving two:serving")
		nodes, _ := one.Nodes(t.Context())
		far := nodes[1]
		if far.Runs != 2 || far.MaxRuns != 9 || far.Self || !nodes[0].Self || far.Heard != 1000 || fmt.Sprint(far.Agents) != "[script]" || far.Memory <= 0 {
			t.Errorf("it knows of the other %+v", far)
		}
		if fmt.Sprint(far.Rates["runs"], far.Rates["inputs"], far.Rates["failed"]) != "[7] [3] [0]" || far.StoreCalls != 1 || far.Store50 == nil || *far.Store50 != 5 {
			t.Errorf("its rates are %v, the store's %d %v", far.Rates, far.StoreCalls, far.Store50)
		}
		time.Sleep(10 * ratesKept * tellEvery)
		if nodes, _ := one.Nodes(t.Context()); len(nodes[1].Rates["runs"]) != ratesKept || nodes[1].StoreCalls != 0 || nodes[1].Store50 != nil {
			t.Errorf("in the end it knows %+v", nodes[1])
		}

		close(two.drain)
		synctest.Wait()
		time.Sleep(operatedFor)
		wantStates(t, one, "true one:serving two:draining")
		b.mu.Lock()
		b.at["two"] = time.Now().Add(-silentAfter - time.Second)
		b.told["three"] = store.NodeTold{Node: "three", About: []byte("none of ours")}
		b.mu.Unlock()
		time.Sleep(operatedFor)
		if got := states(one); !strings.Contains(got, "two:silent") || strings.Contains(got, "three") {
			t.Errorf("known is %q", got)
		}
		two.Leave()
		time.Sleep(operatedFor)
		wantStates(t, one, "true one:serving")
		one.Leave()
	})
}

// However many ask, the store is asked once a second, also one that stands still; what was
// known is told as long as it does.
func TestOperatedStoreIsSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBoard()
		one := operated(b, "one")
		two := operated(b, "two")
		synctest.Wait()
		for range 50 {
			wantStates(t, one, "true one:serving two:serving")
		}
		if b.asked != 1 {
			t.Errorf("the store was asked %d times", b.asked)
		}
		if s := one.Store(t.Context()); !s.Available || s.Embedded || len(s.Servers) != 1 || s.Servers[0].Latency != 1.5 || s.Servers[0].Warnings[0].Problem != "it forgets" {
			t.Errorf("the store is %+v", s)
		}
		time.Sleep(operatedFor)
		b.mu.Lock()
		b.failing, b.hangs = errors.New("away"), true
		b.mu.Unlock()
		began := time.Now()
		var asking sync.WaitGroup
		for range 50 {
			asking.Go(func() { wantStates(t, one, "false one:serving two:serving") })
		}
		asking.Wait()
		if took := time.Since(began); took > operatedTimeout {
			t.Errorf("who asks a store that stands still waits for %v", took)
		}
		if s := one.Store(t.Context()); s.Available || len(s.Servers) != 1 || s.Servers[0].Address != "r:1" {
			t.Errorf("the store that stands still is %+v", s)
		}
		one.Leave()
		two.Leave()
	})
}

func TestNodeAloneIsShown(t *testing.T) {
	n := operated(nil, "")
	nodes, whole := n.Nodes(t.Context())
	if len(nodes) != 1 || !whole || !nodes[0].Self {
		t.Errorf("%+v", nodes)
	}
	if status := n.Store(t.Context()); len(status.Servers) != 0 {
		t.Errorf("%+v", status)
	}
	n.Leave()
}
