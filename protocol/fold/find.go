package fold

import (
	"iter"

	"github.com/aguiws/aguiws/protocol"
)

// Len is how many messages there are.
func (f *Fold) Len() int { return f.log.n }

// Has reports whether there is a message with the id.
func (f *Fold) Has(id string) bool {
	_, ok := f.log.ids.get(id)
	return ok
}

// Message returns the first message with the id. The caller must not change what it points
// to.
func (f *Fold) Message(id string) (protocol.Message, bool) {
	m := f.log.find(id)
	if m == nil {
		return protocol.Message{}, false
	}
	return f.log.message(m), true
}

// Caller returns the first message that has the tool call.
func (f *Fold) Caller(call string) (protocol.Message, bool) {
	m := f.log.callAt(call)
	if m == nil {
		return protocol.Message{}, false
	}
	return f.log.message(m), true
}

// Call returns the first tool call with the id, as it stands. The caller must not change
// what it points to. A later change of the message copies nothing for its sake.
func (f *Fold) Call(id string) (protocol.ToolCall, bool) {
	if b := f.log.growing[grown{id: id, isCall: true}]; b != nil {
		f.log.flush(b)
	}
	m := f.log.callAt(id)
	if m == nil {
		return protocol.ToolCall{}, false
	}
	c := f.log.call(m, id)
	if c == nil {
		return protocol.ToolCall{}, false
	}
	return *c, true
}

// Role returns the role of the first message with the id.
func (f *Fold) Role(id string) (protocol.Role, bool) {
	m := f.log.find(id)
	if m == nil {
		return "", false
	}
	return m.Role, true
}

// Owner returns whose the first message with the id is.
func (f *Fold) Owner(id string) (protocol.Owner, bool) { return ownerOf(f.log.find(id)) }

// CallOwner returns whose the first message is that has the tool call.
func (f *Fold) CallOwner(call string) (protocol.Owner, bool) { return ownerOf(f.log.callAt(call)) }

func ownerOf(m *message) (protocol.Owner, bool) {
	if m == nil {
		return protocol.Owner{}, false
	}
	return protocol.NewOwner(m.SubagentRunID), true
}

// Answer returns the last tool message that answers the call.
func (f *Fold) Answer(call string) (protocol.Message, bool) {
	place, ok := f.log.results.get(call)
	if !ok {
		return protocol.Message{}, false
	}
	return f.log.message(f.log.at(place)), true
}

// Place is where the first message with the id stands.
func (f *Fold) Place(id string) (Place, bool) { return f.log.ids.get(id) }

// Rank is how many messages stand before a place.
func (f *Fold) Rank(p Place) int { return f.log.rank(p) }

// All are the messages in order, without a copy of them all. The fold must not be
// changed meanwhile.
func (f *Fold) All() iter.Seq[protocol.Message] { return f.each(f.log.all()) }

// Backward is All from the last to the first.
func (f *Fold) Backward() iter.Seq[protocol.Message] { return f.each(f.log.backward()) }

// From is All from a place on.
func (f *Fold) From(p Place) iter.Seq[protocol.Message] { return f.each(f.log.from(p)) }

func (f *Fold) each(messages iter.Seq[*message]) iter.Seq[protocol.Message] {
	return func(yield func(protocol.Message) bool) {
		f.log.freeze()
		for m := range messages {
			if !yield(m.Message) {
				return
			}
		}
	}
}
