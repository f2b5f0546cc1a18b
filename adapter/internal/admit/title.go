package admit

import (
	"strings"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol"
)

// maxTitleBytes is what a store keeps of a title.
const maxTitleBytes = 60

// titleOf names a thread after what its first user message says.
func titleOf(messages protocol.Messages) string {
	for _, m := range messages {
		if m.Role != protocol.RoleUser {
			continue
		}
		if title := CutTitle(m.Content.String()); title != "" {
			return title
		}
	}
	return ""
}

// CutTitle is one line of at most maxTitleBytes.
func CutTitle(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= maxTitleBytes {
		return text
	}
	const more = "…"
	cut := maxTitleBytes - len(more)
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.TrimRight(text[:cut], " ") + more
}
