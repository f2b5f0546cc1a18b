package judge

import (
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// behind reports whether who sends these messages knows any of the thread's, and whether
// they were cut off from its events: a message of the agent's is cut short, or the last
// that they hold has calls and what came of them is missing. Who sends only some messages
// on purpose, or none, sends whole ones.
func behind(sent, held protocol.Messages) (knows, behind bool) {
	places := map[string]int{}
	for i, m := range held {
		places[m.ID] = i
	}
	last, lastSent := -1, 0
	for i, m := range sent {
		at, known := places[m.ID]
		if !known {
			continue
		}
		if cutShort(m, held[at]) {
			return true, true
		}
		if at > last {
			last, lastSent = at, i
		}
	}
	return last >= 0, last >= 0 && cutOffAfter(sent, lastSent, held[last:])
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
// as held[0]: calls of it are nowhere in what was sent, or a result is of those that come
// next in the thread.
func cutOffAfter(sent protocol.Messages, i int, held protocol.Messages) bool {
	whole := held[0]
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
	for _, m := range held[1:] {
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
