package judge

import (
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// spelled are the messages with those of the thread in the place of calls and results that
// it holds, and a text beside such calls as a message of its own; nil: each message has an
// id.
func spelled(messages protocol.Messages, held *protocol.Fold) protocol.Messages {
	var out protocol.Messages
	given := false
	h := history{held, map[string]map[string]protocol.ToolFunction{}}
	for _, m := range messages {
		if !nameless(m, held) {
			out = append(out, m)
			continue
		}
		given = true
		switch callers := h.callersOf(m); {
		case m.Role == protocol.RoleTool:
			if answer, there := held.Answer(m.ToolCallID); there {
				m.ID = answer.ID
			}
			out = append(out, m)
		case len(callers) == 0:
			out = append(out, m)
		default:
			var text strings.Builder
			for _, c := range callers {
				text.WriteString(c.Content.String())
			}
			own, whole := m.Content.String(), text.String()
			if own != "" && own != whole {
				out = append(out, textOf(m))
			}
			if last := len(out) - 1; own == "" && whole != "" && last >= 0 && nameless(out[last], held) && out[last].Content.String() == whole {
				out = out[:last] // the text of the same message
			}
			out = append(out, callers...)
		}
	}
	if !given {
		return nil
	}
	return onlyOnce(out)
}

// textOf is the message without its calls, named as if it had come so.
func textOf(m protocol.Message) protocol.Message {
	text := protocol.Message{Role: m.Role, Content: m.Content}
	text.ID = m.ID[:len(m.ID)-saidDigits] + saidDigest(text)
	return text
}

// onlyOnce leaves out what stands there already.
func onlyOnce(messages protocol.Messages) protocol.Messages {
	seen := make(map[string]bool, len(messages))
	kept := messages[:0]
	for _, m := range messages {
		if !seen[m.ID] {
			seen[m.ID] = true
			kept = append(kept, m)
		}
	}
	return kept
}

// nameless reports whether the message came without an id, and is not one that the thread
// has from the same input.
func nameless(m protocol.Message, held *protocol.Fold) bool {
	return strings.HasPrefix(m.ID, givenPrefix) && !held.Has(m.ID) && isGiven(m)
}

// callersOf are the thread's messages that have the calls of m, none if one is missing.
func (h history) callersOf(m protocol.Message) (callers protocol.Messages) {
	found := map[string]bool{}
	for _, call := range m.ToolCalls {
		held, there := h.held.Caller(call.ID)
		if !there || !h.sameCall(&held, call) {
			return nil
		}
		if !found[held.ID] {
			callers, found[held.ID] = append(callers, held), true
		}
	}
	return callers
}
