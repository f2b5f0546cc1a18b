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

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
	"github.com/aguiws/aguiws/redisstore/storetest"
)

var longThread = flag.Int("thread", 5_000, "how many messages the long thread of TestTurnCostsWhatIsNew has")

// cost is what a turn takes.
type cost struct{ read, written, commands, allocated, allocs float64 }

func (c cost) String() string {
	return fmt.Sprintf("%.0f B read, %.0f B written, %.0f commands, %.0f B in %.0f allocations", c.read, c.written, c.commands, c.allocated, c.allocs)
}

// TestTurnCostsWhatIsNew holds a turn in a long thread that the node has in use to little
// more than what one in a short thread costs, in bytes and in counts.
func TestTurnCostsWhatIsNew(t *testing.T) {
	for _, asks := range []bool{false, true} {
		short, long := turnsIn(t, 100, asks), turnsIn(t, *longThread, asks)
		t.Logf("asks %t: in a thread of 100 %v; of %d %v", asks, short, *longThread, long)
		for what, of := range map[string]func(cost) float64{
			"bytes read":    func(c cost) float64 { return c.read },
			"bytes written": func(c cost) float64 { return c.written },
			"commands":      func(c cost) float64 { return c.commands },
			"bytes of heap": func(c cost) float64 { return c.allocated },
			"allocations":   func(c cost) float64 { return c.allocs },
		} {
			if a, b := of(short), of(long); b > 2*a {
				t.Errorf("asks %t: %s: %.0f in a thread of 100, %.0f in one of %d", asks, what, a, b, *longThread)
			}
		}
	}
}

// turnsIn is what a turn costs in a thread of n messages, of which the node has carried
// one before.
func turnsIn(t *testing.T, n int, asks bool) cost {
	t.Helper()
	storetest.Ran(t)
	server := redistest.Start(t, redistest.Options{})
	st, err := redisstore.Open(t.Context(), server.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	l := &lab{t: t, store: st, key: store.ThreadKey{Namespace: "test", Thread: "thread"}}
	fill(t, st, l.key, n)
	l.start(adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if asks {
			if _, err := run.Confirm(ctx, "really?"); err != nil {
				return err
			}
		}
		return run.Say("yes")
	}))
	l.follow(nil)
	turn := func(i int) {
		open := interruptsOf(l.say(fmt.Sprint("text ", i)))
		if asks {
			l.answer(resolved(open[0].ID, `{"approved":true}`))
		}
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
	each := func(of func(cost) float64) float64 { return (of(after) - of(before)) / turns }
	return cost{
		each(func(c cost) float64 { return c.read }), each(func(c cost) float64 { return c.written }),
		each(func(c cost) float64 { return c.commands }), each(func(c cost) float64 { return c.allocated }),
		each(func(c cost) float64 { return c.allocs }),
	}
}

func interruptsOf(events []protocol.Event) []protocol.Interrupt {
	f := protocol.NewFold(nil, nil)
	for _, e := range events {
		_ = f.Apply(e)
	}
	return f.Interrupts()
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
