package adapter_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

var longThread = flag.Int("thread", 5_000, "how many messages the long thread of TestTurnCostsWhatIsNew has")

// cost is what a turn takes.
type cost struct{ read, written, commands, allocated, allocs float64 }

func (c cost) String() string {
	return fmt.Sprintf("%.0f B read, %.0f B written, %.0f commands, %.0f B in %.0f allocations", c.read, c.written, c.commands, c.allocated, c.allocs)
}

// TestTurnCostsWhatIsNew holds a turn in a long thread that the node has in use to little
// more than what one in a short thread costs, in bytes and in counts. Of a client that
// sends the whole history what it sends is taken in, and the store notices nothing.
func TestTurnCostsWhatIsNew(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	for name, history := range map[string]bool{"what is new": false, "the whole history": true} {
		short, long := turnsIn(t, 100, history), turnsIn(t, *longThread, history)
		t.Logf("who sends %s: in a thread of 100 %v; of %d %v", name, short, *longThread, long)
		limits := map[string]func(cost) float64{
			"bytes read":    func(c cost) float64 { return c.read },
			"bytes written": func(c cost) float64 { return c.written },
			"commands":      func(c cost) float64 { return c.commands },
		}
		if !history {
			limits["bytes of heap"] = func(c cost) float64 { return c.allocated }
			limits["allocations"] = func(c cost) float64 { return c.allocs }
		}
		for what, of := range limits {
			if a, b := of(short), of(long); b > 2*a {
				t.Errorf("who sends %s: %s: %.0f in a thread of 100, %.0f in one of %d", name, what, a, b, *longThread)
			}
		}
	}
}

// turnsIn is what a turn costs in a thread of n messages, of which the node has carried
// some before.
func turnsIn(t *testing.T, n int, history bool) cost {
	t.Helper()
	server := redistest.Start(t, redistest.Options{})
	st, err := redisstore.Open(t.Context(), server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	l := &lab{t: t, store: st, key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
	fill(t, st, l.key, n)
	l.start(adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		return run.Say("yes")
	}), func(o *runner.Options) { o.Sweep = time.Hour }) // what passes with time is not a turn's
	l.follow(nil)
	thread, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil {
		t.Fatal(err)
	}
	held := fold.New(thread.Messages, nil)
	turn := func(i int) {
		in := user(fmt.Sprint("text ", i))
		if history {
			in.Messages = append(held.Messages(), in.Messages...)
		}
		if a := l.submit(in); a.Disposition != admission.Started || a.Behind {
			t.Fatalf("%+v", a)
		}
		for _, e := range l.untilEnd() {
			_ = held.Apply(e)
		}
		l.idle() // and the node holds what the turn has added
	}
	for i := range 3 {
		turn(i)
	}
	const turns = 20
	before := counted(t, server)
	for i := range turns {
		turn(3 + i)
	}
	after := counted(t, server)
	if held.Len() != n+2*(3+turns) {
		t.Fatalf("the thread has %d messages", held.Len())
	}
	each := func(of func(cost) float64) float64 { return (of(after) - of(before)) / turns }
	return cost{
		each(func(c cost) float64 { return c.read }), each(func(c cost) float64 { return c.written }),
		each(func(c cost) float64 { return c.commands }), each(func(c cost) float64 { return c.allocated }),
		each(func(c cost) float64 { return c.allocs }),
	}
}

// fill makes a thread of n messages.
func fill(t *testing.T, st store.Store, key store.ThreadKey, n int) {
	t.Helper()
	snapshot := &store.SnapshotUpdate{State: json.RawMessage(`{}`), Order: []string{}, Upsert: map[string]json.RawMessage{}}
	for i := range n {
		id := fmt.Sprintf("message-%032d", i)
		m := protocol.Message{ID: id, Role: protocol.RoleUser, Content: protocol.Text(strings.Repeat("what was said ", 28))}
		if i%2 == 1 {
			m.Role = protocol.RoleAssistant
		}
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		snapshot.Order, snapshot.Upsert[id] = append(snapshot.Order, id), text
	}
	begin := store.Begin{Thread: key, RunID: "filled", Label: "filled", Execution: "filled", Record: json.RawMessage(`{"label":"filled","execution":"filled"}`),
		Kind: store.Execute{
			Claimed: store.Claimed{Token: "token", Events: [][]byte{[]byte(`{"type":"RUN_STARTED","threadId":"thread","runId":"filled"}`)}},
			Fresh:   store.Fresh{Frozen: json.RawMessage(`{}`)},
		}}
	begun, err := st.Begin(t.Context(), begin)
	if err != nil || begun.Status != store.BeginAccepted {
		t.Fatal(begun, err)
	}
	ended, err := st.Commit(t.Context(), store.Batch{Claim: begun.Claim, Number: 2, Expect: 1,
		Events: [][]byte{[]byte(`{"type":"RUN_FINISHED","threadId":"thread","runId":"filled"}`)},
		End:    &store.End{Kind: store.EndFinish, Snapshot: snapshot}})
	if err != nil || ended.Status != store.CommitOK {
		t.Fatal(ended, err)
	}
}

// counted is what has been counted so far.
func counted(t *testing.T, server *redistest.Server) cost {
	t.Helper()
	info, err := server.Do("INFO", "stats")
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string) float64 {
		for line := range strings.Lines(info) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
				n, _ := strconv.ParseFloat(value, 64)
				return n
			}
		}
		t.Fatalf("no %s in %s", name, info)
		return 0
	}
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	return cost{number("total_net_output_bytes"), number("total_net_input_bytes"), number("total_commands_processed"),
		float64(memory.TotalAlloc), float64(memory.Mallocs)}
}
