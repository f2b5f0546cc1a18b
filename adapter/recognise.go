package adapter

import (
	"bytes"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// recognised is the input with the thread's ids for messages that come back
// under others. Where the events name no message, a frontend names it itself
// when it sends its history back: assistant-ui does so with an assistant message
// that begins with a tool call, and with tool results. Taken for new, the thread
// would hold the call twice.
//
// A message is recognised by its tool calls, which the thread must hold with the
// same names, arguments and content. One that says anything else is new.
func recognised(input *protocol.RunAgentInput, held protocol.Messages) *protocol.RunAgentInput {
	ids := map[string]bool{}
	for _, m := range held {
		ids[m.ID] = true
	}
	messages := slices.Clone(input.Messages)
	renamed := false
	for i, m := range messages {
		if ids[m.ID] {
			continue
		}
		at := slices.IndexFunc(held, func(h protocol.Message) bool { return echoes(m, h) })
		if at >= 0 {
			messages[i].ID = held[at].ID
			renamed = true
		}
	}
	if !renamed {
		return input
	}
	same := *input
	same.Messages = messages
	return &same
}

// echoes reports whether m says what the thread's message h says, and nothing
// more.
func echoes(m, h protocol.Message) bool {
	if m.Role != h.Role {
		return false
	}
	switch m.Role {
	case protocol.RoleTool:
		return m.ToolCallID == h.ToolCallID && sameText(m.Content.String(), h.Content.String())
	case protocol.RoleAssistant:
		return len(m.ToolCalls) > 0 && m.Content.String() == h.Content.String() &&
			slices.EqualFunc(m.ToolCalls, h.ToolCalls, func(a, b protocol.ToolCall) bool {
				return a.ID == b.ID && a.Function.Name == b.Function.Name && sameText(a.Function.Arguments, b.Function.Arguments)
			})
	}
	return false
}

// sameText compares texts that often are JSON, which a frontend may have read
// and written anew.
func sameText(a, b string) bool {
	if a == b {
		return true
	}
	x, err := Canonical([]byte(a))
	if err != nil {
		return false
	}
	y, err := Canonical([]byte(b))
	return err == nil && bytes.Equal(x, y)
}
