package downgrade

import (
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/protocol"
)

// messages returns the messages as the profile has them, nil if they are so
// already.
func (d *downgrade) messages(messages protocol.Messages, path string) protocol.Messages {
	out := make(protocol.Messages, 0, len(messages))
	changed := false
	for i := range messages {
		m := messages[i]
		at := fmt.Sprintf("%s/%d", path, i)
		if d.profile == Profile0 {
			if !m.Role.Known() {
				d.lose(at, "before 1.0 there is no role %q", m.Role)
				changed = true
				continue
			}
		}
		changed = d.message(&m, at) || changed
		out = append(out, m)
	}
	if !changed {
		return nil
	}
	return out
}

func (d *downgrade) message(m *protocol.Message, at string) (changed bool) {
	if m.EncryptedValueType != "" {
		d.lose(at+"/encryptedValueType", "1.0 has no encryptedValueType")
		m.EncryptedValueType, changed = "", true
	}
	cloned := false
	for j := range m.ToolCalls {
		if m.ToolCalls[j].EncryptedValueType == "" {
			continue
		}
		if !cloned {
			m.ToolCalls, cloned, changed = slices.Clone(m.ToolCalls), true, true
		}
		d.lose(fmt.Sprintf("%s/toolCalls/%d/encryptedValueType", at, j), "1.0 has no encryptedValueType")
		m.ToolCalls[j].EncryptedValueType = ""
	}
	if d.profile != Profile0 || m.Content == nil {
		return changed
	}
	if m.Role == protocol.RoleTool {
		if text, flat := d.flat(m.Content, at+"/content"); flat {
			m.Content, changed = text, true
		}
		return changed
	}
	if parts := d.parts(m.Content, at+"/content"); parts != nil {
		m.Content, changed = parts, true
	}
	return changed
}

// flat makes text of parts, for the results of tools.
func (d *downgrade) flat(c *protocol.Content, path string) (*protocol.Content, bool) {
	parts, ok := c.Parts()
	if !ok {
		return c, false
	}
	for i, part := range parts {
		if part.Type != protocol.PartText {
			d.lose(fmt.Sprintf("%s/%d", path, i), "before 1.0 the result of a tool is text")
		}
	}
	return protocol.Text(c.String()), true
}

// parts leaves out what releases before 1.0 fail on, and has what came as a binary part
// as one; nil if nothing changes.
func (d *downgrade) parts(c *protocol.Content, path string) *protocol.Content {
	parts, ok := c.Parts()
	if !ok {
		return nil
	}
	kept := make([]protocol.Part, 0, len(parts))
	changed := false
	for i, part := range parts {
		binary, was := part.Binary()
		switch {
		case was:
			kept, changed = append(kept, binary), true
		case part.Type == protocol.PartText || part.Source != nil && (part.Source.Type == protocol.SourceData || part.Source.Type == protocol.SourceURL):
			kept = append(kept, part)
		case part.Source != nil:
			d.lose(fmt.Sprintf("%s/%d", path, i), "before 1.0 there is no source %q", part.Source.Type)
		default:
			d.lose(fmt.Sprintf("%s/%d", path, i), "before 1.0 there is no part %q", part.Type)
		}
	}
	if !changed && len(kept) == len(parts) {
		return nil
	}
	return protocol.PartsOf(kept...)
}
