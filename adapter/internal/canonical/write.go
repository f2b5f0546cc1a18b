package canonical

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gowebpki/jcs"
)

// writer writes a valid value as RFC 8785 does. The library builds a tree of a value, which of an
// array of numbers is a hundred times its text; it is left the strings with escapes.
type writer struct {
	text     []byte // what is still to be written
	number   func(out, literal []byte) ([]byte, error)
	unsorted []byte // used again
}

func write(value []byte, number func(out, literal []byte) ([]byte, error)) ([]byte, error) {
	if !json.Valid(value) || !utf8.Valid(value) {
		return nil, errors.New("adapter: canonical JSON: not a JSON value")
	}
	w := writer{text: value, number: number}
	out, err := w.value(make([]byte, 0, len(value)))
	if err != nil {
		return nil, fmt.Errorf("adapter: canonical JSON: %w", err)
	}
	return out, nil
}

// next is the character that stands behind white space, 0 at the end.
func (w *writer) next() byte {
	if w.text = bytes.TrimLeft(w.text, " \t\r\n"); len(w.text) == 0 {
		return 0
	}
	return w.text[0]
}

// token takes as many bytes as it is told.
func (w *writer) token(n int) []byte {
	taken := w.text[:n]
	w.text = w.text[n:]
	return taken
}

func (w *writer) value(out []byte) ([]byte, error) {
	switch c := w.next(); c {
	case '{':
		return w.object(out)
	case '[':
		return w.array(out)
	case '"':
		text, err := w.string()
		return append(out, text...), err
	case 't', 'n':
		return append(out, w.token(len("true"))...), nil
	case 'f':
		return append(out, w.token(len("false"))...), nil
	}
	end := bytes.IndexAny(w.text, ",]} \t\r\n")
	if end < 0 {
		end = len(w.text)
	}
	return w.number(out, w.token(end))
}

func (w *writer) array(out []byte) (_ []byte, err error) {
	out = append(out, w.token(1)...)
	for w.next() != ']' {
		if out, err = w.value(out); err != nil {
			return nil, err
		}
		if w.next() == ',' {
			out = append(out, w.token(1)...)
		}
	}
	return append(out, w.token(1)...), nil
}

// member is where a member with its comma was written, and what it is sorted by.
type member struct {
	name     []uint16
	from, to int
}

func (w *writer) object(out []byte) ([]byte, error) {
	out = append(out, w.token(1)...)
	begin := len(out)
	var members []member
	for w.next() != '}' {
		m := member{from: len(out) - begin}
		text, err := w.string()
		if err != nil {
			return nil, err
		}
		var name string
		if err := json.Unmarshal(text, &name); err != nil {
			return nil, err
		}
		m.name = utf16.Encode([]rune(name))
		w.next()
		out = append(append(out, text...), w.token(1)...) // the colon
		if out, err = w.value(out); err != nil {
			return nil, err
		}
		out = append(out, ',')
		m.to = len(out) - begin
		members = append(members, m)
		if w.next() == ',' {
			w.token(1)
		}
	}
	end := w.token(1)
	if len(members) == 0 {
		return append(out, end...), nil
	}
	return w.sorted(out, begin, members)
}

// sorted puts the members that out has from begin on in their order, and ends the object.
func (w *writer) sorted(out []byte, begin int, members []member) ([]byte, error) {
	byName := func(a, b member) int { return slices.Compare(a.name, b.name) }
	if !slices.IsSortedFunc(members, byName) {
		w.unsorted = append(w.unsorted[:0], out[begin:]...)
		out = out[:begin]
		slices.SortFunc(members, byName)
		for _, m := range members {
			out = append(out, w.unsorted[m.from:m.to]...)
		}
	}
	for i, m := range members[1:] {
		if slices.Equal(members[i].name, m.name) {
			return nil, fmt.Errorf("two members have the name %.80q", string(utf16.Decode(m.name)))
		}
	}
	out[len(out)-1] = '}'
	return out, nil
}

// string is the next string with its quotes. One without an escape is canonical.
func (w *writer) string() ([]byte, error) {
	end, escaped := 1, false
	for ; w.text[end] != '"'; end++ {
		if w.text[end] == '\\' {
			escaped = true
			end++
		}
	}
	text := w.token(end + 1)
	if !escaped {
		return text, nil
	}
	list, err := jcs.Transform(slices.Concat([]byte{'['}, text, []byte{']'}))
	if err != nil {
		return nil, err
	}
	return list[1 : len(list)-1], nil
}
