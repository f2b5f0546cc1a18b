package llm

import (
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/llm/chat"
	"github.com/aguiws/aguiws/protocol"
)

// request is what the model is asked next.
func (a *Agent) request(run *adapter.Run, known aside) chat.Request {
	p := chat.Request{Model: a.options.Model}
	if told := a.instructions(run); told != "" {
		p.Messages = append(p.Messages, chat.Message{Role: "system", Content: told})
	}
	p.Messages = append(p.Messages, known.params(window(run.Messages(), a.options.MaxMessages), &a.options)...)
	for _, t := range a.offers(run) {
		f := chat.Definition{Name: t.Name, Description: t.Description}
		// An endpoint refuses all of a request that has a tool without an object here.
		if json.Unmarshal(t.Parameters, &f.Parameters) != nil {
			f.Parameters = nil
		}
		p.Tools = append(p.Tools, chat.Tool{Type: "function", Function: f})
	}
	if a.options.Adjust != nil {
		a.options.Adjust(&p)
	}
	return p
}

// instructions are one message, since some endpoints take one and at the beginning alone.
func (a *Agent) instructions(run *adapter.Run) string {
	var b strings.Builder
	b.WriteString(a.options.Instructions)
	section := func(title, text string) {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(title)
		b.WriteString(":\n")
		b.WriteString(text)
	}
	for _, c := range run.LatestInput().Context {
		section(c.Description, c.Value)
	}
	if state := run.State(); a.options.TellState && !protocol.Any(state).IsZero() && string(state) != "{}" {
		section("The state of this conversation, in JSON", string(state))
	}
	return b.String()
}

// window is the end of a conversation, from a user's message on: what a tool said means
// nothing without the call before it.
func window(messages protocol.Messages, most int) protocol.Messages {
	if most <= 0 || len(messages) <= most {
		return messages
	}
	cut := len(messages) - most
	for i := cut; i < len(messages); i++ {
		if messages[i].Role == protocol.RoleUser {
			return messages[i:]
		}
	}
	for i := cut - 1; i >= 0; i-- {
		if messages[i].Role == protocol.RoleUser {
			return messages[i:]
		}
	}
	return messages
}
