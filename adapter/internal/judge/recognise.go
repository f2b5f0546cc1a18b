package judge

import (
	"slices"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// recognised is the input with the thread's own messages in the place of those
// that only say again what they say. A frontend that builds messages from events may cut
// them differently and name them itself. assistant-ui puts the calls of a run into one
// message, after the text if there is any, and names tool results, and messages without
// text, as it likes. Taken for new, the thread would hold such a call twice; taken for
// missing, it would be rewound to before it.
//
// A message that is recognised by its calls must agree in their names and arguments, and
// under an unknown id in its text: one that says anything else is new.
func recognised(input *protocol.RunAgentInput, held *fold.Fold) *protocol.RunAgentInput {
	h := history{held, map[string]map[string]protocol.ToolFunction{}}
	var sent map[string]bool
	var messages protocol.Messages
	for i, m := range input.Messages {
		same := h.same(m)
		if len(same) == 0 || len(same) == 1 && same[0].ID == m.ID {
			if sent != nil {
				messages = append(messages, m)
			}
			continue
		}
		if sent == nil {
			messages = slices.Clone(input.Messages[:i])
			sent = make(map[string]bool, len(input.Messages))
			for _, m := range input.Messages {
				sent[m.ID] = true
			}
		}
		for _, s := range same {
			if s.ID == m.ID || !sent[s.ID] {
				sent[s.ID] = true
				messages = append(messages, s)
			}
		}
	}
	if sent == nil {
		return input
	}
	again := *input
	again.Messages = messages
	return &again
}

// history finds a thread's messages by what is in them.
type history struct {
	held  *fold.Fold
	calls map[string]map[string]protocol.ToolFunction // of messages that were asked about
}

// same are the messages of the thread that say what m says, none if m is new or one
// of them.
func (h history) same(m protocol.Message) protocol.Messages {
	if m.Role == protocol.RoleAssistant && len(m.ToolCalls) > 0 {
		return h.sameCalls(m)
	}
	if h.held.Has(m.ID) {
		return nil // it is the thread's own
	}
	if m.Role == protocol.RoleTool {
		if held, found := h.held.Answer(m.ToolCallID); found && sameText(m.Content.String(), held.Content.String()) {
			return protocol.Messages{held}
		}
	}
	return nil
}

// sameCalls are the message with the id of m, if there is one, and those that
// hold the rest of its calls.
func (h history) sameCalls(m protocol.Message) protocol.Messages {
	var same protocol.Messages
	found := map[string]bool{}
	held, known := h.held.Message(m.ID)
	if known {
		same, found[m.ID] = append(same, held), true
	}
	for _, call := range m.ToolCalls {
		held, there := h.held.Caller(call.ID)
		switch {
		case !there || !h.sameCall(&held, call):
			if !known {
				return nil
			}
		case !found[held.ID]:
			same, found[held.ID] = append(same, held), true
		}
	}
	if known {
		return same
	}
	var text strings.Builder
	for _, held := range same {
		text.WriteString(held.Content.String())
	}
	if text.String() != m.Content.String() {
		return nil
	}
	return same
}

// sameCall reports whether the thread's message has the call as it was sent.
func (h history) sameCall(held *protocol.Message, sent protocol.ToolCall) bool {
	calls := h.calls[held.ID]
	if calls == nil {
		calls = make(map[string]protocol.ToolFunction, len(held.ToolCalls))
		for _, c := range held.ToolCalls {
			calls[c.ID] = c.Function
		}
		h.calls[held.ID] = calls
	}
	c := calls[sent.ID]
	return c.Name == sent.Function.Name && sameText(sent.Function.Arguments, c.Arguments)
}

// sameText compares what was sent with the text that is held. Often it is JSON, which
// a frontend may have read and written anew.
func sameText(sent, held string) bool {
	return sent == held || canonical.Echoes([]byte(sent), []byte(held))
}
