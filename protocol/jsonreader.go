package protocol

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	maxInteger = 1<<53 - 1
	minInteger = -maxInteger
	maxDepth   = 512 // of open JSON
)

// reader walks a document along a shape. It fills in a value if it is given one; it always
// checks, and goes on after a problem to name the others. The document is known to be JSON
// in UTF-8, so the walk itself cannot fail.
type reader struct {
	data     []byte
	pos      int
	strict   bool // the document must be exact; otherwise what is unrecognised is kept
	absent   bool // null reads as absent wherever a member may be
	nulls    bool // one was
	problems ProblemList
	path     []step
	base     int // of the path, where the open value begins
}

type step struct {
	name  string
	raw   []byte // the name, where it was not made a string
	index int    // of an array element; name is empty then
	array bool
}

func newReader(data []byte, strict bool) (*reader, *DecodeError) {
	d, bad := newDocument(data)
	return d.reader(strict), bad
}

func (r *reader) err() error {
	if list := r.problems.List(); list != nil {
		return &DecodeError{Problems: list}
	}
	return nil
}

func (r *reader) fail(format string, args ...any) {
	if !r.problems.Full() {
		r.problems.Add(Problem{Pointer: pointerTo(near(r.path)), Message: fmt.Sprintf(format, args...)})
	}
}

// sated reports that no further problem would be named: what is left need not
// be looked at, and above all nothing need be made of it.
func (r *reader) sated() bool { return r.problems.Full() }

// leave skips what is left of the object or array in which the reader is.
func (r *reader) leave() {
	for depth := 1; depth > 0; {
		switch r.data[r.pos] {
		case '"':
			r.pos = endOfString(r.data, r.pos)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		r.pos++
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// near is the part of a path that a problem names.
func near(path []step) []step {
	length := 0
	for i, s := range path {
		if length += 1 + len(s.name) + len(s.raw); length > maxLine {
			return path[:i]
		}
	}
	return path
}

// pointerTo writes a path as RFC 6901 has it.
func pointerTo(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		if s.array {
			b.WriteString(strconv.Itoa(s.index))
		} else {
			b.WriteString(pointerEscape.Replace(s.name + string(s.raw)))
		}
	}
	return b.String()
}

func (r *reader) push(s step) { r.path = append(r.path, s) }
func (r *reader) pop()        { r.path = r.path[:len(r.path)-1] }

func (r *reader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\r', '\n':
			r.pos++
		default:
			return
		}
	}
}

// peek names what begins here, for messages and decisions.
func (r *reader) peek() string {
	switch c := r.data[r.pos]; c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// want reports whether the next value begins with c, and otherwise skips it as
// a problem.
func (r *reader) want(c byte, what string) bool {
	if r.data[r.pos] == c {
		return true
	}
	r.fail("expected %s, found %s", what, r.peek())
	r.open()
	return false
}

// token returns the string, number or word that begins here.
func (r *reader) token() []byte {
	start := r.pos
	if r.data[r.pos] == '"' {
		r.pos = endOfString(r.data, r.pos)
		return r.data[start:r.pos]
	}
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return r.data[start:r.pos]
		}
		r.pos++
	}
	return r.data[start:r.pos]
}

// endOfString returns where the string that begins at start has ended.
func endOfString(data []byte, start int) int {
	for i := start + 1; ; i++ {
		i += bytes.IndexByte(data[i:], '"')
		escapes := 0
		for data[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// text returns the string that begins here.
func (r *reader) text() string {
	return unquote(r.token())
}

// nextMember goes from the brace or the value before to the value of an object's next member,
// and returns its name as it is written; nil, at the closing brace: there is none.
func (r *reader) nextMember() []byte {
	r.space()
	switch r.data[r.pos] {
	case '}':
		return nil
	case ',':
		r.pos++
		r.space()
	}
	name := r.token()
	r.space()
	r.pos++ // the colon
	r.space()
	return name
}

// each calls fn at each member's value, with the member's name on the path. It
// refuses names that come twice.
func (r *reader) each(fn func(name string)) {
	var few [16]string
	names := few[:0]
	var many map[string]bool
	r.pos++
	for token := r.nextMember(); token != nil; token = r.nextMember() {
		name := word(token)
		if r.sated() {
			r.leave()
			return
		}
		r.push(step{name: name})
		again := false
		if many == nil {
			again = slices.Contains(names, name)
			if names = append(names, name); len(names) == len(few) {
				many = make(map[string]bool, 2*len(few))
				for _, n := range names {
					many[n] = true
				}
			}
		} else {
			again = many[name]
			many[name] = true
		}
		if again {
			r.fail("the member appears twice")
			r.open()
		} else {
			fn(name)
		}
		r.pop()
	}
	r.pos++
}

// elements calls fn at each element, with its index on the path.
func (r *reader) elements(fn func(i int)) {
	r.pos++
	i := 0
	for r.space(); r.data[r.pos] != ']'; r.space() {
		if r.data[r.pos] == ',' {
			r.pos++
			r.space()
		}
		if r.sated() {
			r.leave()
			return
		}
		r.push(step{index: i, array: true})
		fn(i)
		r.pop()
		i++
	}
	r.pos++
}
