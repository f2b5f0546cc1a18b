package judge

import (
	"iter"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// behind reports whether the sender of these messages knows any of the thread's, and
// whether it was cut off from the thread's events. It was if it has a message of the
// agent's cut short, or if the last message that it holds has calls and what came of them
// is missing. A sender that sends only some messages on purpose, or none, sends whole ones.
func behind(sent protocol.Messages, held *fold.Fold) (knows, behind bool) {
	var last fold.Place
	lastSent := 0
	for i, m := range sent {
		whole, known := held.Message(m.ID)
		if !known {
			continue
		}
		if cutShort(m, whole) {
			return true, true
		}
		if at, _ := held.Place(m.ID); !knows || at > last {
			knows, last, lastSent = true, at, i
		}
	}
	return knows, knows && cutOffAfter(sent, lastSent, held.From(last))
}

// cutShort reports whether m is only the beginning of a message that the thread holds.
func cutShort(m, held protocol.Message) bool {
	if m.Role != protocol.RoleAssistant || held.Role != protocol.RoleAssistant {
		return false
	}
	// A frontend may keep the text of a message apart from its calls.
	if text := m.Content.String(); (text != "" || len(m.ToolCalls) == 0) && begins(text, held.Content.String()) {
		return true
	}
	if len(m.ToolCalls) == 0 {
		return false
	}
	whole := map[string]string{}
	for _, call := range held.ToolCalls {
		whole[call.ID] = call.Function.Arguments
	}
	return slices.ContainsFunc(m.ToolCalls, func(call protocol.ToolCall) bool {
		return begins(call.Function.Arguments, whole[call.ID])
	})
}

func begins(text, whole string) bool { return len(text) < len(whole) && strings.HasPrefix(whole, text) }

// cutOffAfter reports whether what was sent breaks off at sent[i], which the thread holds
// as the first of held: calls of it are nowhere in what was sent, or a result is of those that come
// next in the thread.
func cutOffAfter(sent protocol.Messages, i int, held iter.Seq[protocol.Message]) bool {
	var whole protocol.Message
	for whole = range held {
		break
	}
	if (whole.Role != protocol.RoleAssistant || len(whole.ToolCalls) == 0) && whole.Role != protocol.RoleTool {
		return false
	}
	calls, results := map[string]bool{}, map[string]bool{}
	for _, m := range sent {
		for _, call := range m.ToolCalls {
			calls[call.ID] = true
		}
		if m.Role == protocol.RoleTool {
			results[m.ToolCallID] = true
		}
	}
	if len(sent[i].ToolCalls) == 0 && slices.ContainsFunc(whole.ToolCalls, func(call protocol.ToolCall) bool { return !calls[call.ID] }) {
		return true
	}
	first := true
	for m := range held {
		if first {
			first = false
			continue
		}
		switch m.Role {
		case protocol.RoleActivity, protocol.RoleReasoning:
			continue
		case protocol.RoleTool:
			if results[m.ToolCallID] {
				continue
			}
			return true
		}
		return false
	}
	return false
}
