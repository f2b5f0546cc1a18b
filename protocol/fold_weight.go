package protocol

// messageWeight is about how many bytes a fold takes for a message beside what it says.
const messageWeight = 640

// Weight is about how many bytes of memory the fold takes. Clones share nearly all of
// them.
func (f *Fold) Weight() int { return f.log.bytes + f.log.n*messageWeight + len(f.state) }

// weightOf is how many bytes of a message may be many.
func weightOf(m *Message) int {
	n := m.Content.weight()
	for i := range m.ToolCalls {
		n += len(m.ToolCalls[i].Function.Arguments)
	}
	return n
}

func (c *Content) weight() int {
	if c == nil {
		return 0
	}
	n := len(c.text) + len(c.object)
	for i := range c.parts {
		n += len(c.parts[i].Text)
		if s := c.parts[i].Source; s != nil {
			n += len(s.Value)
		}
	}
	return n
}
