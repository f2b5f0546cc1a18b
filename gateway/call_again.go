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
	args  string // that the thread has
	again strings.Builder
	held  []heldEvent
}

type heldEvent struct {
	event protocol.Event
	text  []byte
	does  protocol.Effect
}

// announces begins to hold a call back; false: it is new.
func (r *relay) announces(e protocol.Event, text []byte) bool {
	start, ok := e.(*protocol.ToolCallStart)
	if !ok {
		return false
	}
	own := itemID{protocol.FamilyToolCall, start.ToolCallID}
	if r.mine[own] {
		return false
	}
	r.mine[own] = true
	message, known := r.to.Caller(start.ToolCallID)
	if !known {
		return false
	}
	for _, c := range message.ToolCalls {
		if c.ID == start.ToolCallID && c.Function.Name == start.ToolCallName {
			r.again[c.ID] = &announced{args: c.Function.Arguments, held: []heldEvent{{e, text, protocol.EffectOf(e)}}}
			return true
		}
	}
	return false
}

// hold takes in what is said of the call that is held back. When that is something else
// than the thread has, it is let go, and so is e.
func (r *relay) hold(e protocol.Event, text []byte, does protocol.Effect) (held bool, err error) {
	if does.Family != protocol.FamilyToolCall || does.ID == nil || r.again[*does.ID] == nil {
		return false, nil
	}
	id := *does.ID
	a := r.again[id]
	switch does.Verb {
	case protocol.Continues:
		a.again.WriteString(*does.Delta)
		a.held = append(a.held, heldEvent{e, text, does})
		if a.again.Len() > len(a.args)+spaces {
			return true, r.letGo(id)
		}
		return true, nil
	case protocol.Ends:
		if same := a.again.Len() == 0 || sameJSON(a.again.String(), a.args); same {
			delete(r.again, id)
			r.repaired(RepairCallAgain)
			return true, nil
		}
	}
	return false, r.letGo(id)
}

// spaces is how much longer the same arguments may be when they are written otherwise.
const spaces = 4 << 10

// letGo relays what is held back of a call.
func (r *relay) letGo(id string) error {
	held := r.again[id].held
	delete(r.again, id)
	for _, h := range held {
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
