package gateway

import (
	"encoding/json"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// maxDescribed bounds a message that is made here, in bytes.
const maxDescribed = 4 << 10

// described is what an interrupt without a message is about, as far as its dialect says it
// elsewhere: a human must not be asked about nothing. "" where it does not.
func (r *relay) described(i protocol.Interrupt) string {
	about := objectOf(i.Metadata[string(r.dialect)])
	if value := about[keptValue]; value != nil && len(about) == 1 {
		about = objectOf(value) // of a CUSTOM event
	}
	var parts []string
	switch r.dialect {
	case DialectMastra:
		// What the tool says, and what it is called with: the one need not be the other.
		var text string
		if json.Unmarshal(about["suspendPayload"], &text) != nil {
			text = stringOf(objectOf(about["suspendPayload"]), "message")
		}
		parts = append(parts, text, strings.TrimSpace(stringOf(about, "toolName")+" "+string(about["args"])))
	case DialectLangGraph:
		if len(about) > 0 {
			value, _ := json.Marshal(about) // of what was read
			parts = append(parts, string(value))
		}
	}
	text := strings.TrimSpace(strings.Join(parts, "\n"))
	if len(text) > maxDescribed {
		text = strings.ToValidUTF8(text[:maxDescribed], "") + "…"
	}
	return text
}
