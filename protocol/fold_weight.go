package protocol

import "encoding/json"

// messageWeight is about how many bytes a fold takes for a message beside what it says.
const messageWeight = 640

// Weight is about how many bytes of memory the fold takes. Clones share nearly all of
// them.
func (f *Fold) Weight() int { return f.log.bytes + f.log.n*messageWeight + len(f.state) }

// These are what a message's parts take beside what they say.
const (
	callWeight   = 256
	partWeight   = 256
	memberWeight = 64
)

// weightOf is how many bytes of a message may be many.
func weightOf(m *Message) int {
	n := len(m.ID) + len(m.ActivityType) + m.Content.weight() + len(m.ToolCallID) + len(m.Error) + len(m.Name) +
		len(m.EncryptedValue) + len(m.EncryptedValueType) + membersWeight(m.Metadata) + membersWeight(m.Extra)
	if m.SubagentRunID != nil {
		n += len(*m.SubagentRunID)
	}
	for i := range m.ToolCalls {
		n += weightOfCall(&m.ToolCalls[i])
	}
	return n
}

func weightOfCall(c *ToolCall) int {
	return callWeight + len(c.ID) + len(c.Function.Name) + len(c.Function.Arguments) + membersWeight(c.Function.Extra) +
		len(c.EncryptedValue) + len(c.EncryptedValueType) + membersWeight(c.Metadata) + membersWeight(c.Extra)
}

func (c *Content) weight() int {
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

func membersWeight(members map[string]json.RawMessage) (n int) {
	for name, value := range members {
		n += memberWeight + len(name) + len(value)
	}
	return n
}
