package protocol

import (
	"bytes"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/surrogate"
)

// laidDelta is a delta as it is read by hand: its type, and where its texts are.
type laidDelta struct {
	name      EventType
	id, delta []byte // JSON strings
	role      Role   // of a chunk
	timestamp int64
}

func (d *laidDelta) event(id string) Event {
	b, delta := Base{Timestamp: d.timestamp}, wire.Unquote(d.delta)
	switch d.name {
	case TypeTextMessageContent:
		return &TextMessageContent{Base: b, MessageID: id, Delta: delta}
	case TypeReasoningMessageContent:
		return &ReasoningMessageContent{Base: b, MessageID: id, Delta: delta}
	case TypeTextMessageChunk:
		texts := &[2]string{id, delta}
		return &TextMessageChunk{Base: b, MessageID: &texts[0], Role: d.role, Delta: &texts[1]}
	}
	return &ToolCallArgs{Base: b, ToolCallID: id, Delta: delta}
}

// readLaid reads the deltas, of which nearly all streams are made, where nothing seldom is
// in them: an id, the delta, a timestamp and a chunk's usual role, in any order, without
// space between. False is every other text, which the general reader judges. The general
// reader decides what is right: FuzzDecodeLaidIsGeneral. A known id is one that is likely,
// as it is written.
func readLaid(data, known []byte) (d laidDelta, ok bool) {
	rest := data
	if !cut(&rest, `{"type":"`) {
		return d, false
	}
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return d, false
	}
	switch string(rest[:end]) {
	case string(TypeTextMessageContent):
		d.name = TypeTextMessageContent
	case string(TypeReasoningMessageContent):
		d.name = TypeReasoningMessageContent
	case string(TypeToolCallArgs):
		d.name = TypeToolCallArgs
	case string(TypeTextMessageChunk):
		d.name = TypeTextMessageChunk
	default:
		return d, false
	}
	idMember := `,"messageId":`
	if d.name == TypeToolCallArgs {
		idMember = `,"toolCallId":`
	}
	timed := false
	for rest = rest[end+1:]; len(rest) > 1; {
		n := 0
		switch {
		case d.delta == nil && cut(&rest, `,"delta":`):
			n = laidString(rest)
			d.delta = rest[:n]
		case d.id == nil && cut(&rest, idMember):
			if n = len(known); n == 0 || !bytes.HasPrefix(rest, known) {
				n = laidString(rest)
			}
			d.id = rest[:n]
		case !timed && cut(&rest, `,"timestamp":`):
			d.timestamp, n = laidInteger(rest)
			timed = true
		case d.name == TypeTextMessageChunk && d.role == "" && cut(&rest, `,"role":`):
			if bytes.HasPrefix(rest, []byte(`"assistant"`)) {
				d.role, n = RoleAssistant, len(`"assistant"`)
			}
		}
		if n == 0 {
			return d, false
		}
		rest = rest[n:]
	}
	return d, len(rest) == 1 && rest[0] == '}' && d.id != nil && d.delta != nil
}

// cut takes a prefix off, if it is there.
func cut(text *[]byte, prefix string) bool {
	if len(*text) < len(prefix) || string((*text)[:len(prefix)]) != prefix {
		return false
	}
	*text = (*text)[len(prefix):]
	return true
}

// laidInteger reads the positive integer that value begins with, and says how long it is
// there; 0: it is none, or none that JavaScript holds exactly.
func laidInteger(value []byte) (i int64, n int) {
	for n < len(value) && value[n] >= '0' && value[n] <= '9' {
		i = i*10 + int64(value[n]-'0')
		n++
	}
	const digits = 16
	if n == 0 || n > digits || i > wire.MaxInteger || value[0] == '0' {
		return 0, 0
	}
	return i, n
}

// laidString says how long the string is that value begins with; 0: it is none.
func laidString(value []byte) int {
	if len(value) == 0 || value[0] != '"' {
		return 0
	}
	plain, escaped, n := true, false, 1
	for ; n < len(value) && value[n] != '"'; n++ {
		if len(value)-n >= 8 && wire.Plain8(value[n:n+8]) {
			n += 7
			continue
		}
		switch c := value[n]; {
		case c < ' ':
			return 0
		case c == '\\':
			escaped = true
			n++
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	if n >= len(value) {
		return 0
	}
	n++
	if !plain && !utf8.Valid(value[:n]) || escaped && (!wire.Valid(value[:n]) || surrogate.NextLone(value[:n], 0) >= 0) {
		return 0
	}
	return n
}
