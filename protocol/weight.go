package protocol

import "encoding/json"

// These are what a message's parts take beside what they say.
const (
	callWeight   = 256
	partWeight   = 256
	memberWeight = 64
)

// Weight is about how many bytes of memory what the message says takes.
func (m *Message) Weight() int {
	n := len(m.ID) + len(m.ActivityType) + m.Content.Weight() + len(m.ToolCallID) + len(m.Error) + len(m.Name) +
		len(m.EncryptedValue) + len(m.EncryptedValueType) + membersWeight(m.Metadata) + membersWeight(m.Extra)
	if m.SubagentRunID != nil {
		n += len(*m.SubagentRunID)
	}
	for i := range m.ToolCalls {
		n += m.ToolCalls[i].Weight()
	}
	return n
}

// Weight is about how many bytes of memory the call takes.
func (c *ToolCall) Weight() int {
	return callWeight + len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments) + membersWeight(c.Function.Extra) +
		len(c.EncryptedValue) + len(c.EncryptedValueType) + membersWeight(c.Metadata) + membersWeight(c.Extra)
}

// Weight is about how many bytes of memory the content takes.
func (c *Content) Weight() int {
	if c == nil {
		return 0
	}
	n := len(c.text) + len(c.object)
	for i := range c.parts {
		p := &c.parts[i]
		n += partWeight + len(p.Text) + len(p.ID) + len(p.Metadata) + membersWeight(p.Extra)
		if s := p.Source; s != nil {
			n += len(s.Value) + len(s.Provider) + len(s.MimeType) + membersWeight(s.Extra)
		}
	}
	return n
}

// Weight is about how many bytes of memory the metadata takes.
func (m Metadata) Weight() int { return membersWeight(m) }

func membersWeight(members map[string]json.RawMessage) (n int) {
	for name, value := range members {
		n += memberWeight + len(name) + len(value)
	}
	return n
}
