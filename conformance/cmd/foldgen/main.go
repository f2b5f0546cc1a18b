// Command foldgen writes generated streams of AG-UI events, each with what
// protocol makes of it, for comparison with another client:
//
//	foldgen [-n 1000] [-seed 1] | node conformance/cmd/foldgen/compare.mjs CLIENT
//
// CLIENT is the folder of an installed @ag-ui/client. A line is one case: what
// the client held before, a legal stream, what it should hold after it, and one
// event more with what the order rules say about it. The same seed writes the
// same cases.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
)

func main() {
	n := flag.Int("n", 1000, "how many streams")
	seed := flag.Uint64("seed", 1, "of the first; each stream has the next one")
	flag.Parse()
	if err := write(*n, *seed); err != nil {
		fmt.Fprintf(os.Stderr, "foldgen: %v\n", err)
		os.Exit(1)
	}
}

func write(n int, seed uint64) error {
	buf := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(buf)
	for i := range uint64(n) {
		c, err := generate(seed + i)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed+i, err)
		}
		if err := out.Encode(c); err != nil {
			return err
		}
	}
	return buf.Flush()
}

// testCase is a line.
type testCase struct {
	Seed   uint64            `json:"seed"`
	Held   holding           `json:"held"`
	Events []json.RawMessage `json:"events"`
	Want   holding           `json:"want"`
	// Restated is the latest run as a newcomer is told of it: what is, what is
	// open, and an end.
	Restated []json.RawMessage `json:"restated"`
	Last     json.RawMessage   `json:"last"`
	Rule     string            `json:"rule"` // that last breaks, empty for none
	// Fatal is whether the reference client gives up on last; absent where
	// protocol is stricter than it on purpose.
	Fatal *bool `json:"fatal,omitempty"`
}

type holding struct {
	Messages   protocol.Messages    `json:"messages"`
	State      json.RawMessage      `json:"state"`
	Interrupts []protocol.Interrupt `json:"interrupts"`
}

// stricter are the rules that the reference client 1.0.0 does not have.
var stricter = map[string]bool{
	order.RuleIDs: true, order.RuleInterrupt: true, order.RuleReopen: true,
	order.RuleBaseline: true, order.RuleOutcome: true,
}

func generate(seed uint64) (c *testCase, err error) {
	g := &generator{random: rand.New(rand.NewPCG(seed, 0))}
	c = &testCase{Seed: seed, Events: []json.RawMessage{}}
	c.Held = holding{Messages: g.messages(), State: json.RawMessage(`{"a":0,"l":[1,2]}`), Interrupts: []protocol.Interrupt{}}
	held := fold.New(c.Held.Messages, c.Held.State)
	g.fold = held
	// The client knows what it held before the stream only by the stream; a
	// server knows it, and admits less.
	var sequence, seeded order.Sequence
	for tries := 20 + g.random.IntN(200); tries > 0; tries-- {
		for _, e := range g.events() {
			if r, ok := e.(*protocol.ToolCallResult); ok && holds(held, r.MessageID) {
				continue // illegal, unseen by either, and the client's copies then share what they hold
			}
			if _, ok := e.(*protocol.RunFinished); !ok && loses(held, e) {
				continue // illegal too: what is open would have no message, or two
			}
			g.spoil(e)
			if _, starts := e.(*protocol.RunStarted); starts {
				seeded.Seed(held.Messages())
			}
			broken, bad := errors.AsType[*order.Error](seeded.Check(e))
			if bad && broken.Rule != order.RuleBaseline { // which has no state
				continue
			}
			_ = sequence.Check(e)
			data, err := protocol.Encode(e)
			if err != nil {
				return nil, err
			}
			c.Events = append(c.Events, data)
			_ = held.Apply(e) // a warning; the client warns too, and goes on
		}
	}
	c.Want = holding{Messages: held.Messages(), State: held.State(), Interrupts: held.Interrupts()}
	if c.Want.Interrupts == nil {
		c.Want.Interrupts = []protocol.Interrupt{}
	}
	if c.Restated, err = restated(held); err != nil {
		return nil, err
	}
	last := g.event()
	data, err := protocol.Encode(last)
	if err != nil {
		return nil, err
	}
	c.Last = data
	if broken, bad := errors.AsType[*order.Error](sequence.Check(last)); bad {
		c.Rule = broken.Rule
	}
	if fatal := c.Rule != ""; !stricter[c.Rule] {
		c.Fatal = &fatal
	}
	return c, nil
}

func holds(held *fold.Fold, id string) bool {
	return slices.ContainsFunc(held.Messages(), func(m protocol.Message) bool { return m.ID == id })
}

// restated tells of the latest run as the binding restates one in mid-run.
func restated(held *fold.Fold) ([]json.RawMessage, error) {
	thread, run, active := held.Run()
	if !active {
		return nil, nil
	}
	events := []protocol.Event{
		&protocol.RunStarted{ThreadID: thread, RunID: run},
		&protocol.StateSnapshot{Snapshot: held.State()},
		&protocol.MessagesSnapshot{Messages: held.Messages()},
	}
	events = append(append(events, held.Openings()...), held.Closings()...)
	events = append(events, &protocol.RunFinished{ThreadID: thread, RunID: run})
	encoded := make([]json.RawMessage, len(events))
	for i, e := range events {
		var err error
		if encoded[i], err = protocol.Encode(e); err != nil {
			return nil, err
		}
	}
	return encoded, nil
}

// loses reports whether the event takes a message away that is open, or has two
// messages carry one call.
func loses(held *fold.Fold, e protocol.Event) bool {
	after := held.Clone()
	_ = after.Apply(e)
	roles, calls := map[string]protocol.Role{}, map[string]bool{}
	for _, m := range after.Messages() {
		roles[m.ID] = m.Role
		for _, c := range m.ToolCalls {
			if calls[c.ID] {
				return true
			}
			calls[c.ID] = true
		}
	}
	for _, e := range after.Openings() {
		switch e := e.(type) {
		case *protocol.TextMessageStart:
			if role, held := roles[e.MessageID]; !held || role == protocol.RoleActivity {
				return true
			}
		case *protocol.ReasoningMessageStart:
			if role, held := roles[e.MessageID]; !held || role == protocol.RoleActivity {
				return true
			}
		case *protocol.ToolCallStart:
			if !calls[e.ToolCallID] {
				return true
			}
		}
	}
	return false
}
