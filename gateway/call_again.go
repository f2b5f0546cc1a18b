package gateway

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// announced is a call that is announced though the thread has it, as runs do that go on
// behind an approval. What is said of it is held back until it is known whether it is the
// same again, in which case clients that add up arguments would have them twice.
type announced struct {
	id      string
	args    string // that the thread has
	again   strings.Builder
	held    []heldEvent
	waiting bool
}

type heldEvent struct {
	event protocol.Event
	text  []byte
	does  protocol.Effect
}

// announces begins to hold a call back; false: it is new, or there is one held already.
func (r *relay) announces(e protocol.Event, text []byte) bool {
	start, ok := e.(*protocol.ToolCallStart)
	if !ok || r.again != nil || r.mine[start.ToolCallID] {
		return false
	}
	message, known := r.to.Caller(start.ToolCallID)
	r.mine[start.ToolCallID] = true
	if !known {
		return false
	}
	for _, c := range message.ToolCalls {
		if c.ID == start.ToolCallID && c.Function.Name == start.ToolCallName {
			r.again = &announced{id: c.ID, args: c.Function.Arguments, held: []heldEvent{{e, text, protocol.EffectOf(e)}}}
			return true
		}
	}
	return false
}

// hold takes in what is said of the call that is held back. When that is something else
// than the thread has, it is let go, and so is e.
func (r *relay) hold(e protocol.Event, text []byte, does protocol.Effect) (held bool, err error) {
	a := r.again
	if does.Family != protocol.FamilyToolCall || does.ID == nil || *does.ID != a.id || e.Type() == protocol.TypeToolCallResult {
		return false, nil
	}
	switch does.Verb {
	case protocol.Continues:
		a.again.WriteString(*does.Delta)
		a.held = append(a.held, heldEvent{e, text, does})
		if a.again.Len() > len(a.args)+spaces {
			return true, r.letGo()
		}
		return true, nil
	case protocol.Ends:
		if same := a.again.Len() == 0 || sameJSON(a.again.String(), a.args); same {
			r.again = nil
			r.repaired(RepairCallAgain)
			return true, nil
		}
	}
	return false, r.letGo()
}

// spaces is how much longer the same arguments may be when they are written otherwise.
const spaces = 4 << 10

// letGo relays what is held back.
func (r *relay) letGo() error {
	a := r.again
	if a == nil {
		return nil
	}
	r.again = nil
	for _, h := range a.held {
		if err := r.relay(h.event, h.text, h.does); err != nil {
			return err
		}
	}
	return nil
}

func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := valueOf(a)
	y, okY := valueOf(b)
	return okX && okY && reflect.DeepEqual(x, y)
}

func valueOf(text string) (value any, ok bool) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return value, d.Decode(&value) == nil && !d.More()
}
