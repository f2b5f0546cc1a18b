package gateway

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// announced is a call that is announced though the thread has it, as runs do that go on
// behind an approval. What is said of it is not relayed unless it goes on with arguments
// that the thread has the beginning of: clients add up what they are told of one call.
type announced struct {
	args    string // that the thread has
	settled bool   // nothing can be added to them
	changed bool   // it is not what the thread has
	again   strings.Builder
	held    []heldEvent // unless it is settled
}

// maxHeld bounds how many events are held back of a call: one of more goes on.
const maxHeld = 256

type heldEvent struct {
	event protocol.Event
	text  []byte
	does  protocol.Effect
}

// announces begins to hold a call back; false: it is new, or it is open.
func (r *relay) announces(e protocol.Event, text []byte, does protocol.Effect) bool {
	start, ok := e.(*protocol.ToolCallStart)
	if !ok || r.open.has(does) {
		return false
	}
	c, known := r.to.ToolCall(start.ToolCallID)
	if !known {
		return false
	}
	a := &announced{args: c.Function.Arguments, changed: c.Function.Name != start.ToolCallName}
	a.settled = a.changed || r.whole(c.ID, a.args)
	if !a.settled {
		a.held = []heldEvent{{e, text, does}}
	}
	r.again[c.ID] = a
	return true
}

// wholeArgs says whether a call's arguments are an object that nothing can be added to.
type wholeArgs struct {
	args  string
	whole bool
}

// whole judges the arguments that the thread has of a call, once, however often it is
// announced: they may be long.
func (r *relay) whole(id, args string) bool {
	if w, judged := r.wholes[id]; judged && w.args == args { // of one string that costs nothing
		return w.whole
	}
	whole := strings.HasPrefix(strings.TrimSpace(args), "{") && json.Valid([]byte(args))
	r.wholes[id] = wholeArgs{args, whole}
	return whole
}

// hold takes in what is said of the call that is held back. When that goes on with what the
// thread has, it is let go, and so is e.
func (r *relay) hold(e protocol.Event, text []byte, does protocol.Effect) (held bool, err error) {
	if does.Family != protocol.FamilyToolCall || does.ID == nil || r.again[*does.ID] == nil {
		return false, nil
	}
	id := *does.ID
	a := r.again[id]
	switch does.Verb {
	case protocol.Opens:
		r.repaired(RepairStartAgain)
		return true, nil
	case protocol.Continues:
		if a.adds(*does.Delta) && len(a.held) < maxHeld {
			if !a.settled {
				a.held = append(a.held, heldEvent{e, text, does})
			}
			return true, nil
		}
	case protocol.Ends:
		if !a.goesOn() {
			return true, r.letGo(id)
		}
	default:
		if a.settled {
			return false, nil
		}
	}
	return false, r.goOn(id)
}

// spaces is how much longer the same arguments may be when they are written otherwise.
const spaces = 4 << 10

// adds takes in more of the arguments; false: they go on with those that the thread has.
func (a *announced) adds(delta string) bool {
	switch {
	case a.changed:
	case a.settled && a.again.Len()+len(delta) > len(a.args)+spaces:
		a.changed = true
	default:
		a.again.WriteString(delta)
	}
	return a.settled || strings.HasPrefix(a.args, a.again.String())
}

// letGo is done with a call that is held back: it is left out, or goes on.
func (r *relay) letGo(id string) error {
	a := r.again[id]
	switch {
	case a.goesOn():
		return r.goOn(id)
	case a.changed || a.again.Len() > 0 && !sameJSON(a.again.String(), a.args):
		r.repaired(RepairCallChanged)
	default:
		r.repaired(RepairCallAgain)
	}
	delete(r.again, id)
	return nil
}

// goesOn reports whether what is known of the call is more than the thread has.
func (a *announced) goesOn() bool {
	return !a.settled && a.again.Len() > 0 && a.again.String() != a.args
}

// goOn relays what is held back of a call.
func (r *relay) goOn(id string) error {
	held := r.again[id].held
	delete(r.again, id)
	for _, h := range held {
		if err := r.relay(h.event, h.text, h.does); err != nil {
			return err
		}
	}
	return nil
}

// maxLonger is how many times as long the same JSON may be when it is written otherwise, its
// characters escaped, say.
const maxLonger = 8

// sameJSON reports whether two texts say the same. It costs as much as the shorter one.
func sameJSON(a, b string) bool {
	if a == b {
		return true
	}
	if short, long := min(len(a), len(b)), max(len(a), len(b)); long > maxLonger*short+spaces {
		return false
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
