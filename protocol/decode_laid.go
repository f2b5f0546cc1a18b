package protocol

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// laidDelta is a delta as it is read by hand: its type, and where its texts are.
type laidDelta struct {
	name      EventType
	id, delta []byte // JSON strings
	timestamp int64
}

func (d *laidDelta) event(id string) Event {
	b, delta := Base{Timestamp: d.timestamp}, unquote(d.delta)
	switch d.name {
	case TypeTextMessageContent:
		return &TextMessageContent{Base: b, MessageID: id, Delta: delta}
	case TypeReasoningMessageContent:
		return &ReasoningMessageContent{Base: b, MessageID: id, Delta: delta}
	}
	return &ToolCallArgs{Base: b, ToolCallID: id, Delta: delta}
}

// readLaid reads the deltas, of which nearly all streams are made, where nothing seldom is
// in them: an id, the delta and a timestamp, in any order, without space between. False is
// every other text, which the general reader judges. What is right is what that reads:
// FuzzDecodeLaidIsGeneral. A known id is one that is likely, as it is written.
func readLaid(data, known []byte) (d laidDelta, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte(`{"type":"`))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return d, false
	}
	switch string(rest[:end]) {
	case string(TypeTextMessageContent):
		d.name = TypeTextMessageContent
	case string(TypeReasoningMessageContent):
		d.name = TypeReasoningMessageContent
	case string(TypeToolCallArgs):
		d.name = TypeToolCallArgs
	default:
		return d, false
	}
	idMember := []byte(`,"messageId":`)
	if d.name == TypeToolCallArgs {
		idMember = []byte(`,"toolCallId":`)
	}
	timed := false
	for rest = rest[end+1:]; len(rest) > 1; {
		into, n := (*[]byte)(nil), 0
		if value, is := bytes.CutPrefix(rest, []byte(`,"delta":`)); is {
			into, rest = &d.delta, value
		} else if value, is := bytes.CutPrefix(rest, idMember); is {
			into, rest = &d.id, value
		} else if value, is := bytes.CutPrefix(rest, []byte(`,"timestamp":`)); is && !timed {
			timed, rest = true, value
			d.timestamp, n = laidInteger(rest)
		}
		if into != nil && *into == nil {
			if n = len(known); n == 0 || into != &d.id || !bytes.HasPrefix(rest, known) {
				n = laidString(rest)
			}
			*into = rest[:n]
		}
		if n == 0 {
			return d, false
		}
		rest = rest[n:]
	}
	return d, len(rest) == 1 && rest[0] == '}' && d.id != nil && d.delta != nil
}

// laidInteger reads the positive integer that value begins with, and says how long it is
// there; 0: it is none, or none that JavaScript holds exactly.
func laidInteger(value []byte) (i int64, n int) {
	for n < len(value) && value[n] >= '0' && value[n] <= '9' {
		i = i*10 + int64(value[n]-'0')
		n++
	}
	const digits = 16
	if n == 0 || n > digits || i > maxInteger || value[0] == '0' {
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
		if len(value)-n >= 8 && plain8(value[n:n+8]) {
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
	if !plain && !utf8.Valid(value[:n]) || escaped && !json.Valid(value[:n]) {
		return 0
	}
	return n
}
