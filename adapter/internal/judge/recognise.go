package judge

import (
	"slices"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/protocol"
)

// recognised is the input with the thread's own messages in the place of those
// that only say again what they say. A frontend that builds messages from events
// may cut them differently and name them itself: assistant-ui puts the calls of a
// run into one message, after the text if there is any, and names tool results,
// and messages without text, as it likes. Taken for new, the thread would hold
// such a call twice; taken for missing, it would be rewound to before it.
//
// What is recognised by its calls must agree in their names and arguments, and
// under an unknown id in its text: a message that says anything else is new.
func recognised(input *protocol.RunAgentInput, held protocol.Messages) *protocol.RunAgentInput {
	h := newHistory(held)
	sent := map[string]bool{}
	for _, m := range input.Messages {
		sent[m.ID] = true
	}
	var messages protocol.Messages
	changed := false
	for _, m := range input.Messages {
		same := h.same(m)
		if len(same) == 0 || len(same) == 1 && same[0].ID == m.ID {
			messages = append(messages, m)
			continue
		}
		changed = true
		for _, s := range same {
			if s.ID == m.ID || !sent[s.ID] {
				sent[s.ID] = true
				messages = append(messages, s)
			}
		}
	}
	if !changed {
		return input
	}
	again := *input
	again.Messages = messages
	return &again
}

// history finds a thread's messages by what is in them.
type history struct {
	held    protocol.Messages
	ids     map[string]int
	calls   map[string]heldCall
	results map[string]int // the tool message that answers it
}

// heldCall is a call with the place of the assistant's message that has it.
type heldCall struct {
	at int
	protocol.ToolFunction
}

func newHistory(held protocol.Messages) history {
	h := history{held: held, ids: map[string]int{}, calls: map[string]heldCall{}, results: map[string]int{}}
	for i, m := range held {
		h.ids[m.ID] = i
		for _, call := range m.ToolCalls {
			h.calls[call.ID] = heldCall{i, call.Function}
		}
		if m.Role == protocol.RoleTool {
			h.results[m.ToolCallID] = i
		}
	}
	return h
}

// same are the messages of the thread that say what m says, none if m is new.
func (h history) same(m protocol.Message) protocol.Messages {
	at, known := h.ids[m.ID]
	switch {
	case m.Role == protocol.RoleAssistant && len(m.ToolCalls) > 0:
		return h.sameCalls(m)
	case known:
		return protocol.Messages{h.held[at]}
	case m.Role == protocol.RoleTool:
		if at, found := h.results[m.ToolCallID]; found && sameText(m.Content.String(), h.held[at].Content.String()) {
			return protocol.Messages{h.held[at]}
		}
	}
	return nil
}

// sameCalls are the message with the id of m, if there is one, and those that
// hold the rest of its calls.
func (h history) sameCalls(m protocol.Message) protocol.Messages {
	var found []int
	at, known := h.ids[m.ID]
	if known {
		found = append(found, at)
	}
	for _, call := range m.ToolCalls {
		held, there := h.calls[call.ID]
		switch {
		case !there || !held.is(call.Function):
			if !known {
				return nil
			}
		case !slices.Contains(found, held.at):
			found = append(found, held.at)
		}
	}
	var same protocol.Messages
	text := ""
	for _, at := range found {
		same = append(same, h.held[at])
		text += h.held[at].Content.String()
	}
	if !known && text != m.Content.String() {
		return nil
	}
	return same
}

func (c heldCall) is(sent protocol.ToolFunction) bool {
	return c.Name == sent.Name && sameText(sent.Arguments, c.Arguments)
}

// sameText compares what was sent with the text that is held. Often it is JSON, which
// a frontend may have read and written anew.
func sameText(sent, held string) bool {
	return sent == held || canonical.Echoes([]byte(sent), []byte(held))
}
