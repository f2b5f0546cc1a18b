package gateway

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// announced is a call that is announced though the thread has one under the agent's id.
// Models name a call like one of an earlier turn, which has its result: that is another
// call. Within a turn runs that go on behind an approval announce a call again: whether it
// is another shows in what is said of it. A call that is the same is not relayed, unless it
// goes on with arguments that the thread has the beginning of: clients add up what they are
// told of one call.
type announced struct {
	start   *protocol.ToolCallStart
	here    string // the id of the thread's call
	args    string // that the thread has
	settled bool   // nothing can be added to them
	ended   bool
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
	if !ok {
		return false
	}
	own := start.ToolCallID
	here := r.names.latest(kindCall, own)
	c, known := r.to.ToolCall(here)
	_, named := r.names.here[name{kindCall, own}]
	switch {
	case !known && !named && tellable(kindCall, own):
		r.names.set(kindCall, own, here)
		return false
	case !known: // or it was named in this run, and a snapshot has left it out
		r.names.alias(kindCall, own)
		r.repaired(RepairMessageID)
		return false
	case c.Function.Name != start.ToolCallName, r.to.Answered(here) && !r.names.goesOn(here):
		r.names.alias(kindCall, own)
		r.repaired(RepairCallChanged)
		return false
	case r.open.has(protocol.EffectOf(withID(e, here))):
		return false
	}
	a := &announced{start: start, here: here, args: c.Function.Arguments}
	a.settled = r.whole(c.ID, a.args) || r.to.Answered(here)
	if !a.settled {
		a.held = []heldEvent{{e, text, does}}
	}
	r.again[own] = a
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
	own := *does.ID
	a := r.again[own]
	switch does.Verb {
	case protocol.Opens:
		if a.ended { // what was announced before is settled, and is compared anew
			return false, r.letGo(own)
		}
		r.repaired(RepairStartAgain)
		return true, nil
	case protocol.Continues:
		if a.settled && a.again.Len()+len(*does.Delta) > len(a.args)+spaces {
			return false, r.newCall(own)
		}
		if a.adds(*does.Delta) && len(a.held) < maxHeld {
			if !a.settled {
				a.held = append(a.held, heldEvent{e, text, does})
			}
			return true, nil
		}
	case protocol.Ends:
		switch {
		case a.goesOn():
		case a.differs():
			return false, r.newCall(own)
		default:
			if a.ended = true; !r.to.Answered(a.here) {
				return true, r.letGo(own)
			}
			return true, nil // its result tells, or a question
		}
	default:
		if a.settled {
			return false, nil
		}
	}
	return false, r.goOn(own)
}

// spaces is how much longer the same arguments may be when they are written otherwise.
const spaces = 4 << 10

// adds takes in more of the arguments; false: they go on with those that the thread has.
func (a *announced) adds(delta string) bool {
	a.again.WriteString(delta)
	return a.settled || strings.HasPrefix(a.args, a.again.String())
}

// letGo is done with a call that is held back: it is left out, goes on, or is another.
func (r *relay) letGo(own string) error {
	a := r.again[own]
	switch {
	case a.goesOn():
		return r.goOn(own)
	case a.differs():
		return r.newCall(own)
	}
	r.repaired(RepairCallAgain)
	delete(r.again, own)
	r.names.set(kindCall, own, a.here)
	return nil
}

// letAllGo is done with all calls that are held back.
func (r *relay) letAllGo() error {
	for _, own := range slices.Sorted(maps.Keys(r.again)) {
		if err := r.letGo(own); err != nil {
			return err
		}
	}
	return nil
}

// goesOn reports whether what is known of the call is more than the thread has.
func (a *announced) goesOn() bool {
	return !a.settled && a.again.Len() > 0 && a.again.String() != a.args
}

// differs reports whether the call is another than the thread's, by its arguments.
func (a *announced) differs() bool {
	return a.again.Len() > 0 && !sameJSON(a.again.String(), a.args)
}

// goOn relays what is held back of a call.
func (r *relay) goOn(own string) error {
	a := r.again[own]
	delete(r.again, own)
	r.names.set(kindCall, own, a.here)
	for _, h := range a.held {
		if err := r.relay(h.event, h.text, h.does); err != nil {
			return err
		}
	}
	return nil
}

// newCall relays a call that was held back under an id of its own.
func (r *relay) newCall(own string) error {
	a := r.again[own]
	delete(r.again, own)
	r.repaired(RepairCallChanged)
	r.names.alias(kindCall, own)
	about := a.start.Attributed
	events := []protocol.Event{a.start}
	if a.again.Len() > 0 {
		events = append(events, &protocol.ToolCallArgs{Attributed: about, ToolCallID: own, Delta: a.again.String()})
	}
	if a.ended {
		events = append(events, &protocol.ToolCallEnd{Attributed: about, ToolCallID: own})
	}
	for _, e := range events {
		if err := r.relay(e, nil, protocol.EffectOf(e)); err != nil {
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
