package protocol

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// AppendMessage appends a message that is there as JSON as Append would write what
// UnmarshalJSON reads of it, and fails if either does. A text that Append has written is
// checked and copied: nothing is made of it.
func AppendMessage(dst, text []byte) ([]byte, error) {
	if Written(text) {
		return append(dst, text...), nil
	}
	var m Message
	if err := m.UnmarshalJSON(text); err != nil {
		return dst, err
	}
	out, err := appendValue(dst, shapeOf(reflect.TypeFor[Message]()), reflect.ValueOf(&m).Elem())
	if err != nil {
		return dst, err
	}
	return out, nil
}

// Written reports whether a text is a message as Append writes it. It may say no of one that is.
func Written(text []byte) bool {
	if encodedText(text) {
		return true
	}
	if wire.Check(text) != nil {
		return false
	}
	r := encodedReader{wire.Reader{Data: text}}
	return r.value(shapeOf(reflect.TypeFor[Message]()), false) && r.Pos == len(text)
}

// encodedText reports whether a text that need not be JSON is a message as most of a history
// are, with an id, a text and a role that needs nothing else, as Append writes it.
func encodedText(text []byte) bool {
	const id, role, content = `{"id":`, `,"role":`, `,"content":`
	if !bytes.HasPrefix(text, []byte(id)) {
		return false
	}
	i := wire.AfterEncoded(text, len(id))
	if i < 0 || !bytes.HasPrefix(text[i:], []byte(role)) {
		return false
	}
	i += len(role)
	end := bytes.IndexByte(text[i:], ',')
	if end < 0 || textRole(text[i:i+end]) == "" || !bytes.HasPrefix(text[i+end:], []byte(content)) {
		return false
	}
	i = wire.AfterEncoded(text, i+end+len(content))
	return i >= 0 && string(text[i:]) == "}"
}

// encodedReader walks a document that is known to be JSON in UTF-8, and says whether each
// value is written as appendValue writes what is read of it. It may say no of a value that
// is, one with a member that this version does not know, but never yes of one that is not:
// FuzzEncodedIsEncoded.
type encodedReader struct{ wire.Reader }

// value goes past one. some: it may not be what an absent one reads as.
func (r *encodedReader) value(s *shape, some bool) bool {
	switch s.form {
	case formString:
		token := r.text()
		if s.enum != nil && (token == nil || !slices.Contains(s.enum, string(token[1:len(token)-1]))) {
			return false
		}
		return token != nil && !(some && len(token) == len(`""`))
	case formOpen:
		return !(r.IsNull() && (s.nonNull || some)) && r.open()
	case formObject:
		return r.Data[r.Pos] == '{' && r.open()
	case formMetadata:
		return r.metadata()
	case formArray:
		return r.array(s)
	case formContent:
		return r.content(s)
	case formStruct:
		return r.object(s)
	}
	return false
}

// next goes past a piece of punctuation, if it is next.
func (r *encodedReader) next(c byte) bool {
	if r.Data[r.Pos] != c {
		return false
	}
	r.Pos++
	return true
}

// text goes past a string, and returns it as it is written; nil: AppendString writes it
// otherwise, or it is none.
func (r *encodedReader) text() []byte {
	start := r.Pos
	end := wire.AfterEncoded(r.Data, start)
	if end < 0 {
		return nil
	}
	r.Pos = end
	return r.Data[start:end]
}

// open goes past any value that AppendOpen leaves as it is.
func (r *encodedReader) open() bool {
	return wire.Compact(r.Open()) && r.Err() == nil
}

func (r *encodedReader) metadata() bool {
	if !r.next('{') {
		return false
	}
	for last := ""; !r.next('}'); {
		if last != "" && !r.next(',') {
			return false
		}
		token := r.text()
		if token == nil {
			return false
		}
		// Names are in order without their escapes. The quote is before the first name.
		name := `"` + wire.Unquote(token)
		if name <= last || !r.next(':') || !r.open() {
			return false
		}
		last = name
	}
	return true
}

func (r *encodedReader) array(s *shape) bool {
	if !r.next('[') {
		return false
	}
	if r.next(']') {
		return !s.nonempty
	}
	for {
		if !r.value(s.elem, false) {
			return false
		}
		if !r.next(',') {
			return r.next(']')
		}
	}
}

func (r *encodedReader) content(s *shape) bool {
	switch c := r.Data[r.Pos]; {
	case c == '"' && s.forms&contentText != 0:
		return r.text() != nil
	case c == '[' && s.forms&contentParts != 0:
		return r.array(&shape{form: formArray, elem: s.elem})
	case c == '{' && s.forms&contentObject != 0:
		return r.open()
	}
	return false
}

func (r *encodedReader) object(s *shape) bool {
	if r.Data[r.Pos] != '{' {
		return false
	}
	m := s.all
	if s.union != nil {
		tag := r.Find(s.tag)
		if len(tag) <= len(`""`) || tag[0] != '"' {
			return false
		}
		if m = s.union[string(tag[1:len(tag)-1])]; m == nil || m == s.union["*"] {
			return false
		}
	}
	r.Pos++
	first := 1 // no comma is before the first member
	for i := range s.fields {
		f := &s.fields[i]
		switch {
		case i == s.extra || m.use[i] == unused:
		case bytes.HasPrefix(r.Data[r.Pos:], f.key[first:]):
			r.Pos += len(f.key) - first
			first = 0
			omits := m.use[i] == optionalUse && f.omit && !f.pointer
			if !r.value(m.shape(s, i), omits) {
				return false
			}
		case m.use[i] != optionalUse || !f.omit:
			return false
		}
	}
	return r.next('}')
}
