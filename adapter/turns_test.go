package adapter_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

// asks counts what admitting asks of a store.
type asks struct {
	store.Store
	reads, begins atomic.Int64
}

func (a *asks) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	a.reads.Add(1)
	return a.Store.Read(ctx, key, q)
}

func (a *asks) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	a.begins.Add(1)
	return a.Store.Begin(ctx, b)
}

// Inputs to one thread do not make each other be judged again on a node, and on
// several no input is refused for it.
func TestManyInputsAtOnceToOneThread(t *testing.T) {
	for name, c := range map[string]struct{ nodes, inputs, reads int }{
		"one node":    {1, 60, 1},
		"three nodes": {3, 30, 6},
	} {
		t.Run(name, func(t *testing.T) {
			agent, gate := gated()
			defer close(gate)
			var counted *asks
			l := newLabOn(t, func(s store.Store) store.Store { counted = &asks{Store: s}; return counted }, agent)
			l.begins(user("first"))
			nodes := []*runner.Runner{l.runner}
			for len(nodes) < c.nodes {
				nodes = append(nodes, l.worker(counted, agent))
			}
			counted.reads.Store(0)
			counted.begins.Store(0)
			var all sync.WaitGroup
			for i := range c.inputs {
				all.Go(func() {
					in := user(fmt.Sprint(i))
					in.ThreadID, in.RunID = l.key.Thread, fmt.Sprint("run-of-", i)
					a, err := nodes[i%len(nodes)].Submit(context.Background(), admission.Input{Namespace: l.key.Namespace, Run: in})
					if err != nil || a.Disposition != admission.Queued {
						t.Errorf("%s %+v %v", a.Disposition, a.Refusal, err)
					}
				})
			}
			all.Wait()
			reads, begins := counted.reads.Load(), counted.begins.Load()
			t.Logf("%d inputs: %d reads, %d begins", c.inputs, reads, begins)
			if most := int64(c.inputs * c.reads); reads > most || begins > most {
				t.Errorf("%d inputs took %d reads and %d begins", c.inputs, reads, begins)
			}
		})
	}
}
