package judge

import (
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// spelled are the messages with those of the thread in the place of calls and results that
// it holds, and a text beside such calls as a message of its own. Open are those of them
// that came without an id and are still to be found; nil: each message had one.
func spelled(messages protocol.Messages, held *fold.Fold) (out protocol.Messages, open map[string]bool) {
	if !slices.ContainsFunc(messages, func(m protocol.Message) bool { return strings.HasPrefix(m.ID, givenPrefix) }) {
		return nil, nil
	}
	h := history{held, map[string]map[string]protocol.ToolFunction{}}
	open = map[string]bool{}
	for _, m := range messages {
		if !nameless(m, held) {
			out = append(out, m)
			continue
		}
		callers := h.callersOf(m)
		answer, answered := held.Answer(m.ToolCallID)
		switch {
		case m.Role == protocol.RoleTool && answered:
			m.ID = answer.ID
			out = append(out, m)
		case len(callers) == 0:
			open[m.ID] = true
			out = append(out, m)
		default:
			own, whole := m.Content.String(), textsOf(callers)
			if own != "" && own != whole {
				m = textOf(m)
				open[m.ID] = true
				out = append(out, m)
			}
			if last := len(out) - 1; own == "" && whole != "" && last >= 0 && open[out[last].ID] && out[last].Content.String() == whole {
				out = out[:last] // the text of the same message
			}
			out = append(out, callers...)
		}
	}
	return onlyOnce(out), open
}

func textsOf(messages protocol.Messages) string {
	var text strings.Builder
	for _, m := range messages {
		text.WriteString(m.Content.String())
	}
	return text.String()
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
func nameless(m protocol.Message, held *fold.Fold) bool {
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
