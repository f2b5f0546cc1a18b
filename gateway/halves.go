package gateway

import (
	"cmp"
	"maps"
	"slices"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/surrogate"
)

// join joins an event's delta with the half of a character that its item has ended with, and
// keeps the half that it ends with itself. It reports whether the delta is another now.
func (r *relay) join(does protocol.Effect) bool {
	key, _ := does.Item()
	half := r.halves[key]
	if half == nil {
		half = new(surrogate.Half)
	}
	before := *does.Delta
	*does.Delta = half.Join(before)
	if half.Kept() {
		r.halves[key] = half
	} else {
		delete(r.halves, key)
	}
	return *does.Delta != before
}

// rest relays what is left of a character when its item ends.
func (r *relay) rest(key protocol.ItemKey) error {
	half := r.halves[key]
	if half == nil {
		return nil
	}
	delete(r.halves, key)
	var e protocol.Event
	switch rest := half.Rest(); key.Family {
	case protocol.FamilyText:
		e = &protocol.TextMessageContent{MessageID: key.ID, Delta: rest}
	case protocol.FamilyReasoning:
		e = &protocol.ReasoningMessageContent{MessageID: key.ID, Delta: rest}
	default:
		e = &protocol.ToolCallArgs{ToolCallID: key.ID, Delta: rest}
	}
	return r.pass(e, nil, protocol.EffectOf(e))
}

// restOfAll is rest of whatever has ended with half of a character.
func (r *relay) restOfAll() error {
	for _, key := range slices.SortedFunc(maps.Keys(r.halves), func(a, b protocol.ItemKey) int {
		return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.ID, b.ID))
	}) {
		if err := r.rest(key); err != nil {
			return err
		}
	}
	return nil
}
