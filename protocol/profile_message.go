package protocol

import (
	"fmt"
	"reflect"
	"slices"
)

// messages returns the messages as the profile has them, nil if they are so
// already.
func (d *downgrade) messages(messages Messages, path string) Messages {
	out := make(Messages, 0, len(messages))
	changed := false
	for i := range messages {
		m := messages[i]
		at := fmt.Sprintf("%s/%d", path, i)
		if d.profile == Profile0 {
			if _, known := shapeOfMessage().membersFor(string(m.Role)); !known {
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

func (d *downgrade) message(m *Message, at string) (changed bool) {
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
	if m.Role == RoleTool {
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
func (d *downgrade) flat(c *Content, path string) (*Content, bool) {
	parts, ok := c.Parts()
	if !ok {
		return c, false
	}
	for i, part := range parts {
		if part.Type != PartText {
			d.lose(fmt.Sprintf("%s/%d", path, i), "before 1.0 the result of a tool is text")
		}
	}
	return Text(c.String()), true
}

// parts leaves out what releases before 1.0 fail on, and has what came as a binary part
// as one; nil if nothing changes.
func (d *downgrade) parts(c *Content, path string) *Content {
	parts, ok := c.Parts()
	if !ok {
		return nil
	}
	kept := make([]Part, 0, len(parts))
	changed := false
	for i, part := range parts {
		binary, was := downgradePart(part)
		switch {
		case was:
			kept, changed = append(kept, binary), true
		case part.Type == PartText || part.Source != nil && (part.Source.Type == SourceData || part.Source.Type == SourceURL):
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
	return PartsOf(kept...)
}

func shapeOfMessage() *shape { return shapeOf(reflect.TypeFor[Message]()) }
