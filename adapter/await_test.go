package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// queueIn makes a run wait in a thread of its own, and tells no runner.
func queueIn(l *lab, st store.Store, thread string) {
	l.t.Helper()
	in := user("hi")
	in.ThreadID, in.RunID = thread, thread
	input, err := json.Marshal(store.QueuedInput{Input: mustJSON(l.t, in)})
	if err != nil {
		l.t.Fatal(err)
	}
	b := store.Begin{Thread: store.ThreadKey{Namespace: "test", Thread: thread}, RunID: thread, Label: thread, Execution: thread, MaxAttempts: 3,
		Record: mustJSON(l.t, map[string]string{"label": thread, "execution": thread})}
	k := store.Enqueue{Input: input}
	for i, e := range []protocol.Event{
		&protocol.RunStarted{ThreadID: thread, RunID: thread},
		&protocol.RunFinished{ThreadID: thread, RunID: thread},
	} {
		if k.Cancelled[i], err = protocol.Encode(e); err != nil {
			l.t.Fatal(err)
		}
	}
	b.Kind = k
	if res, err := st.Begin(l.ctx(), b); err != nil || res.Status != store.BeginAccepted {
		l.t.Fatalf("%+v %v", res, err)
	}
}

func mustJSON(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Nodes that neither hear nudges nor sweep are given what comes: each as long as it has
// places.
func TestWorkIsAwaited(t *testing.T) {
	const runs = 6
	server := redistest.Start(t, redistest.Options{})
	for name, test := range map[string]struct{ nodes, places, atOnce int }{
		"by two":           {2, 100, runs},
		"by one that fits": {1, 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			open := func() *redisstore.Store {
				st, err := redisstore.Open(context.Background(), server.URL(), &redisstore.Options{Prefix: fmt.Sprint(test.nodes), Timeout: patience})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { st.Close() })
				return st
			}
			began, end := make(chan string, 2*runs), make(chan struct{})
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				began <- run.ThreadID()
				select {
				case <-end:
				case <-ctx.Done():
				}
				return nil
			})
			source := open()
			l := &lab{t: t, store: source}
			for range test.nodes {
				l.worker(open(), agent, func(o *runner.Options) { o.Sweep, o.MaxRuns = time.Hour, test.places })
			}
			seen := map[string]bool{}
			for i := range runs {
				queueIn(l, source, fmt.Sprint("t", i))
				if i >= test.atOnce {
					end <- struct{}{}
				}
				seen[await(l, began)] = true
			}
			if len(seen) != runs {
				t.Errorf("%d of %d runs began: %v", len(seen), runs, seen)
			}
			close(end)
		})
	}
}

// A node takes what waits one after another, as places come free, though one read is given
// more than there is a place for, and none is awaited that is put back.
func TestWorkThatWaitedIsTakenAsPlacesComeFree(t *testing.T) {
	for name, before := range map[string]int{"since before the node began": 40, "since its places were taken": 0} {
		t.Run(name, func(t *testing.T) {
			const runs, places = 40, 2
			server := redistest.Start(t, redistest.Options{})
			open := func() *redisstore.Store {
				st, err := redisstore.Open(context.Background(), server.URL(), &redisstore.Options{Timeout: patience})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { st.Close() })
				return st
			}
			source := open()
			l := &lab{t: t, store: source}
			queued := 0
			queue := func(until int) {
				for ; queued < until; queued++ {
					queueIn(l, source, fmt.Sprint("t", queued))
				}
			}
			queue(before)
			began, goOn := make(chan string, 2*runs), make(chan struct{})
			agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
				began <- run.ThreadID()
				<-goOn
				return nil
			})
			l.worker(open(), agent, func(o *runner.Options) { o.Sweep, o.MaxRuns = time.Hour, places })
			seen := map[string]bool{}
			for len(seen) < places { // each alone, so that none is known to wait
				queue(max(before, len(seen)+1))
				seen[await(l, began)] = true
			}
			queue(runs)
			close(goOn)
			for len(seen) < runs {
				seen[await(l, began)] = true
			}
		})
	}
}
