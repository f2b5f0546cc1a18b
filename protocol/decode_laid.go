package protocol

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// decodeLaid reads the deltas, of which nearly all streams are made, where nothing seldom is
// in them: an id, the delta and a timestamp, in any order, without space between. nil is
// every other text, which the general reader judges. What is right is what that reads:
// FuzzDecodeLaidIsGeneral.
func decodeLaid(data []byte) Event {
	const head = `{"type":"`
	rest, ok := bytes.CutPrefix(data, []byte(head))
	end := bytes.IndexByte(rest, '"')
	if !ok || end < 0 {
		return nil
	}
	idName := "messageId"
	name := EventType(rest[:end])
	switch name {
	case TypeTextMessageContent, TypeReasoningMessageContent:
	case TypeToolCallArgs:
		idName = "toolCallId"
	default:
		return nil
	}
	var id, delta string
	var timestamp int64
	var named, said, timed bool
	for rest = rest[end+1:]; len(rest) > 1 && rest[0] == ','; {
		member, value, ok := bytes.Cut(rest[1:], []byte(`":`))
		if !ok || len(member) == 0 || member[0] != '"' || len(value) == 0 {
			return nil
		}
		if string(member[1:]) == "timestamp" {
			n := 0
			for n < len(value) && value[n] >= '0' && value[n] <= '9' {
				timestamp = timestamp*10 + int64(value[n]-'0')
				n++
			}
			if n == 0 || n > 15 || value[0] == '0' || timed {
				return nil
			}
			timed, rest = true, value[n:]
			continue
		}
		text, n := laidString(value)
		if n == 0 {
			return nil
		}
		switch string(member[1:]) {
		case idName:
			if named {
				return nil
			}
			id, named = text, true
		case "delta":
			if said {
				return nil
			}
			delta, said = text, true
		default:
			return nil
		}
		rest = value[n:]
	}
	if len(rest) != 1 || rest[0] != '}' || !named || !said {
		return nil
	}
	b := Base{Timestamp: timestamp}
	switch name {
	case TypeTextMessageContent:
		return &TextMessageContent{Base: b, MessageID: id, Delta: delta}
	case TypeReasoningMessageContent:
		return &ReasoningMessageContent{Base: b, MessageID: id, Delta: delta}
	}
	return &ToolCallArgs{Base: b, ToolCallID: id, Delta: delta}
}

// laidString reads the string that value begins with, and says how long it is there; 0: it
// is none.
func laidString(value []byte) (text string, n int) {
	if value[0] != '"' {
		return "", 0
	}
	plain, escapes := true, false
	for n = 1; n < len(value) && value[n] != '"'; n++ {
		switch c := value[n]; {
		case c < ' ':
			return "", 0
		case c == '\\':
			escapes = true
			n++
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	if n >= len(value) {
		return "", 0
	}
	n++
	token := value[:n]
	if !plain && !utf8.Valid(token) || escapes && !json.Valid(token) {
		return "", 0
	}
	return unquote(token), n
}
