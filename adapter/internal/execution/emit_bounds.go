package execution

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/protocol"
)

// A client's next input brings back whole what a run has told it. A run may therefore tell
// no more than an input may bring.
//
// maxStateDepth is below the 128 levels that an input may have: the state stands in it, and
// what a message holds a few levels deeper.
const maxStateDepth = 120

func untellable(format string, args ...any) error {
	return fmt.Errorf("adapter: emit: %w: %s", adapter.ErrUntellable, fmt.Sprintf(format, args...))
}

// tellable judges the messages that an event begins, or goes on with, by the event's text.
func (x *execution) tellable(e protocol.Event, text []byte) error {
	switch e.(type) {
	case *protocol.StateSnapshot, *protocol.StateDelta, *protocol.Custom, *protocol.Raw, *protocol.Unknown:
	default: // its metadata and content become a message's
		if deeper(text, maxStateDepth) {
			return untellable("it is nested deeper than %d", maxStateDepth)
		}
	}
	switch e := e.(type) {
	case *protocol.TextMessageStart:
		return x.joins(e.MessageID, cmp.Or(e.Role, protocol.RoleAssistant))
	case *protocol.ReasoningMessageStart:
		return x.joins(e.MessageID, protocol.RoleReasoning)
	case *protocol.ActivitySnapshot:
		return x.joins(e.MessageID, protocol.RoleActivity)
	case *protocol.ActivityDelta:
		return x.patchable(e)
	case *protocol.ToolCallResult:
		return checkID(e.MessageID)
	case *protocol.ToolCallStart:
		return x.carried(e)
	case *protocol.MessagesSnapshot:
		seen := make(map[string]bool, len(e.Messages))
		for i := range e.Messages {
			id := e.Messages[i].ID
			if err := checkID(id); err != nil {
				return err
			}
			if seen[id] {
				return untellable("a snapshot has two messages of the id %.80q", id)
			}
			seen[id] = true
		}
	}
	return nil
}

// carried judges the message that a call begins, if it does: its parent, or one of its own id.
func (x *execution) carried(e *protocol.ToolCallStart) error {
	if _, known := x.fold.Call(e.ToolCallID); known {
		return nil
	}
	if p := e.ParentMessageID; p != nil && *p != "" {
		if role, held := x.fold.Role(*p); !held || role == protocol.RoleAssistant {
			return checkID(*p)
		}
	}
	if x.fold.Has(e.ToolCallID) {
		return untellable("the call's id %.80q is that of a message: give it another id, or that message for a parent", e.ToolCallID)
	}
	return checkID(e.ToolCallID)
}

// patchable judges the activity that a patch makes.
func (x *execution) patchable(e *protocol.ActivityDelta) error {
	if !mayDeepen(e.Patch) {
		return nil
	}
	after := x.fold.Clone()
	if after.Apply(e) != nil {
		return nil // it changes nothing
	}
	if m, held := after.Message(e.MessageID); held && deeper(m.Content.Object(), maxStateDepth) {
		return untellable("the activity would be nested deeper than %d", maxStateDepth)
	}
	return nil
}

// joins judges the id under which text or an activity begins or goes on. Under the id of
// another's words text would be added to those, and an activity would take their place. Text
// under the id of an activity or a result has no effect.
func (x *execution) joins(id string, as protocol.Role) error {
	if err := checkID(id); err != nil {
		return err
	}
	switch role, _ := x.fold.Role(id); role {
	case protocol.RoleUser, protocol.RoleAssistant, protocol.RoleReasoning:
		if role != as {
			return untellable("the id %.80q is that of a message of the role %s", id, role)
		}
	}
	return nil
}

func checkID(id string) error {
	if id == "" || len(id) > node.MaxIDBytes {
		return untellable("a message's id has 1 to %d bytes, and this one has %d", node.MaxIDBytes, len(id))
	}
	return nil
}

// tellableState judges the state after an event that has changed it.
func (x *execution) tellableState(e protocol.Event, before json.RawMessage) error {
	var from []byte
	switch e := e.(type) {
	case *protocol.StateSnapshot:
		from = x.fold.State()
	case *protocol.StateDelta:
		if mayDeepen(e.Delta) {
			from = x.fold.State()
		}
	default:
		return nil
	}
	if n, most := len(x.fold.State()), x.node.Options.MaxStateBytes; int64(n) > most && n > len(before) {
		return untellable("the state would have %d bytes, and at most %d may be told, a sixteenth more than max-frame: keep what is large elsewhere, and a reference in the state, or raise max-frame", n, most)
	}
	if deeper(from, maxStateDepth) {
		return untellable("the state would be nested deeper than %d", maxStateDepth)
	}
	return nil
}

// mayDeepen reports whether a patch may nest what it changes deeper than the bound. Most
// patches are small, and what they change is not.
func mayDeepen(patch []byte) bool {
	return bytes.Count(patch, []byte("/"))+brackets(patch) > maxStateDepth ||
		bytes.Contains(patch, []byte(`"move"`)) || bytes.Contains(patch, []byte(`"copy"`)) || bytes.IndexByte(patch, '\\') >= 0
}

func brackets(text []byte) int {
	return bytes.Count(text, []byte("{")) + bytes.Count(text, []byte("["))
}

// deeper reports whether JSON is nested deeper than a bound.
func deeper(text []byte, most int) bool {
	if brackets(text) <= most {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
