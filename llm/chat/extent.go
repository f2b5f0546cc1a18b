package chat

import "strings"

// extent follows pieces of a text to the end of the JSON object or array in it. It reads
// each byte once, and does not judge what is between the brackets.
type extent struct {
	begun            bool // something but white space has come
	bracket          bool // that began with a bracket
	depth            int
	quoted, escaping bool
}

func (e *extent) ended() bool { return e.bracket && e.depth == 0 }

func (e *extent) read(text string) {
	for i := 0; i < len(text) && !e.ended(); i++ {
		c := text[i]
		switch {
		case e.escaping:
			e.escaping = false
		case e.quoted:
			e.escaping, e.quoted = c == '\\', c != '"'
		case strings.IndexByte(space, c) >= 0:
			continue
		case c == '"':
			e.quoted = true
		case c == '{', c == '[':
			e.bracket = e.bracket || !e.begun
			e.depth++
		case c == '}', c == ']':
			e.depth--
		}
		e.begun = true
	}
}

const space = " \t\r\n"

func blank(text string) bool { return strings.Trim(text, space) == "" }

// opens reports whether a text may be the beginning of a call's arguments.
func opens(text string) bool { return strings.HasPrefix(strings.TrimLeft(text, space), "{") }
