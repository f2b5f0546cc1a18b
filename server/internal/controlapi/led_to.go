package controlapi

import (
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
)

// These bound what an answerer is shown of a thread: messages, and bytes of each.
const (
	ledToMessages = 10
	ledToText     = 2000
)

type ledToJSON struct {
	Items []saidJSON `json:"items"`
	Older bool       `json:"older,omitempty" jsonschema:"The thread has messages before the first item."`
}

type saidJSON struct {
	ID        string `json:"id"`
	Role      string `json:"role" jsonschema:"The speaker: user or assistant."`
	Name      string `json:"name,omitempty"`
	Text      string `json:"text" jsonschema:"The text of the message, at most 2,000 bytes of it."`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"The text goes on."`
	Media     int    `json:"media,omitempty" jsonschema:"The number of parts that are no text. The answer leaves them out."`
}

func ledToOperation() operation {
	return operation{method: "GET", path: "/threads/{thread}/interrupts/{interrupt}/messages", id: "listInterruptMessages",
		summary: "List the last messages before an open interrupt, at most 10 of users and agents",
		notes:   "The answer has texts alone: no reasoning, no tool calls, no results and no state. It ends with the interrupt: interrupt_not_found refuses one that is answered, and one that asks nobody.",
		beyond:  identity.ScopeApprover, readRun: true, status: 200, answer: ledToJSON{}, serve: (*call).listInterruptMessages}
}

func (c *call) listInterruptMessages() (any, error) {
	led, err := c.Runner.LedTo(c.r.Context(), c.key, c.r.PathValue("interrupt"), ledToMessages)
	if err != nil {
		return nil, err
	}
	if led == nil {
		if err := c.used(); err != nil {
			return nil, err
		}
		return nil, errNoInterrupt
	}
	out := ledToJSON{Items: []saidJSON{}, Older: led.Older}
	for _, m := range led.Messages {
		text := m.Content.String()
		said := saidJSON{ID: m.ID, Role: string(m.Role), Name: m.Name, Text: cut(text, ledToText), Truncated: len(text) > ledToText}
		parts, _ := m.Content.Parts()
		for _, p := range parts {
			if p.Type != protocol.PartText {
				said.Media++
			}
		}
		out.Items = append(out.Items, said)
	}
	return out, nil
}
