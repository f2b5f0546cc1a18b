package adapter

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// What a run tells its clients comes back to the server with their next input, whole. So
// a run may tell no more than an input may bring.
const (
	// maxStateBytes has room for a state that mirrors an input of 4 MiB, which is what the
	// server reads unless it is told otherwise: some frameworks keep the messages in it.
	maxStateBytes = 4<<20 + 256<<10
	// maxStateDepth is below the 128 levels that an input may have: the state stands in it.
	maxStateDepth = 120
)

// ErrUntellable is wrapped by the errors of Run.Emit and Run.Relay for events that clients
// could not send back: a message id that is empty or longer than 1024 bytes, an id twice
// in a snapshot, text under the id of a message of another role, and a state that has
// grown over 4.25 MiB or is nested deeper than 120 levels.
var ErrUntellable = errors.New("clients could not send it back")

func untellable(format string, args ...any) error {
	return fmt.Errorf("adapter: emit: %w: %s", ErrUntellable, fmt.Sprintf(format, args...))
}

// tellable judges the messages that an event begins.
func (x *execution) tellable(e protocol.Event) error {
	switch e := e.(type) {
	case *protocol.TextMessageStart:
		return x.joins(e.MessageID, cmp.Or(e.Role, protocol.RoleAssistant))
	case *protocol.ReasoningMessageStart:
		return x.joins(e.MessageID, protocol.RoleReasoning)
	case *protocol.ActivitySnapshot:
		return checkID(e.MessageID)
	case *protocol.ToolCallResult:
		return checkID(e.MessageID)
	case *protocol.ToolCallStart:
		if _, known := x.fold.Call(e.ToolCallID); known {
			return nil
		}
		if p := e.ParentMessageID; p != nil && *p != "" {
			return checkID(*p)
		}
		return checkID(e.ToolCallID)
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

// joins judges the id under which text begins or goes on. Under the id of another's words
// it would be added to those. Under that of an activity or a result it has no effect.
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
	if id == "" || len(id) > maxIDBytes {
		return untellable("a message's id has 1 to %d bytes, and this one has %d", maxIDBytes, len(id))
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
		from = deepens(e.Delta, x.fold.State())
	default:
		return nil
	}
	if n := len(x.fold.State()); n > maxStateBytes && n > len(before) {
		return untellable("the state would have %d bytes, and at most %d may be told: keep what is large elsewhere, and a reference in the state", n, maxStateBytes)
	}
	if deeper(from, maxStateDepth) {
		return untellable("the state would be nested deeper than %d", maxStateDepth)
	}
	return nil
}

// deepens is the state if a patch may have nested it deeper than the bound; nil: it
// cannot have. Most patches are small, and the state is not.
func deepens(patch, state []byte) []byte {
	if bytes.Count(patch, []byte("/"))+bytes.Count(patch, []byte("{"))+bytes.Count(patch, []byte("[")) <= maxStateDepth &&
		!bytes.Contains(patch, []byte(`"move"`)) && !bytes.Contains(patch, []byte(`"copy"`)) && bytes.IndexByte(patch, '\\') < 0 {
		return nil
	}
	return state
}

// deeper reports whether JSON is nested deeper than a bound.
func deeper(text []byte, most int) bool {
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
