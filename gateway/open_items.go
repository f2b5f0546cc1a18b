package gateway

import "github.com/aguiws/aguiws/protocol"

// These bound what a run may have open at once, and the names of that. Whenever something
// is opened or closed the store is told anew how all of it would be closed.
const (
	maxOpen      = 256
	maxOpenBytes = 64 << 10
)

// openItems are what a run has begun and not ended, with the bytes of their names and of
// those of the subagents that they are of.
type openItems struct {
	of    map[protocol.ItemKey]int
	bytes int
}

// fits reports whether an event may have its effect.
func (o *openItems) fits(does protocol.Effect) bool {
	if does.Verb != protocol.Opens {
		return true
	}
	_, ok := does.Item()
	return !ok || o.has(does) || len(o.of) < maxOpen && o.bytes+named(does) <= maxOpenBytes
}

// has reports whether what an event is about is open.
func (o *openItems) has(does protocol.Effect) bool {
	key, ok := does.Item()
	_, open := o.of[key]
	return ok && open
}

// track takes in what an event has opened or closed.
func (o *openItems) track(does protocol.Effect) {
	key, ok := does.Item()
	if !ok || does.Verb == protocol.Continues {
		return
	}
	o.bytes -= o.of[key]
	delete(o.of, key)
	if does.Verb == protocol.Ends {
		return
	}
	if o.of == nil {
		o.of = map[protocol.ItemKey]int{}
	}
	o.of[key] = named(does)
	o.bytes += o.of[key]
}

func named(does protocol.Effect) int {
	n := len(*does.ID)
	if does.Owner != nil {
		n += len(*does.Owner)
	}
	return n
}

// forget reports whether something was open, and takes it for closed.
func (o *openItems) forget() bool {
	were := len(o.of) > 0
	*o = openItems{}
	return were
}
