package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/aguiws/aguiws/protocol/problem"
)

// The integers that JavaScript holds exactly.
const (
	MaxInteger = 1<<53 - 1
	MinInteger = -MaxInteger
)

// maxDepth bounds open JSON.
const maxDepth = 512

// Reader walks a document. It always checks, and goes on after a problem to name the
// others. The document is known to be JSON in UTF-8, so the walk itself cannot fail.
type Reader struct {
	Data []byte
	Pos  int
	// Strict: the document must be exact. Otherwise what is unrecognised is kept.
	Strict bool
	// Words are texts that are likely: a name or a text that is one of them is not made a
	// string again. None is longer than LongestWord.
	Words    map[string]string
	Problems problem.List

	path []Step
	base int // of the path, where the open value begins
}

// LongestWord bounds what is looked for among words, in bytes.
const LongestWord = 32

// Step is one step of the path to a value: the name of a member, or the index of an element.
type Step struct {
	Name  string
	raw   []byte // the name, where it was not made a string
	Index int    // of an array element; Name is empty then
	Array bool
}

// NewReader returns a reader of a document that it has checked, at the document's value. It
// is of use without an error only.
func NewReader(data []byte, strict bool) (Reader, *problem.Error) {
	bad := Check(data)
	r := Reader{Data: data, Strict: strict}
	r.Space()
	return r, bad
}

// Check says why a text is not a JSON value in UTF-8; nil: it is one.
func Check(text []byte) *problem.Error {
	if !utf8.Valid(text) {
		return problem.At("", "not valid UTF-8")
	}
	if !Valid(text) {
		var v json.RawMessage
		err := json.Unmarshal(text, &v)
		return problem.At("", "not a JSON document: %v", err)
	}
	return nil
}

// Err is a *problem.Error with all problems, nil without one.
func (r *Reader) Err() error {
	if list := r.Problems.Problems(); list != nil {
		return &problem.Error{Problems: list}
	}
	return nil
}

// Fail notes a problem with the value on the path.
func (r *Reader) Fail(format string, args ...any) {
	if !r.Problems.Full() {
		r.Problems.Add(problem.Problem{Pointer: PointerTo(near(r.path)), Message: fmt.Sprintf(format, args...)})
	}
}

// sated reports that no further problem would be named: what is left need not
// be looked at, and above all nothing need be made of it.
func (r *Reader) sated() bool { return r.Problems.Full() }

// leave skips what is left of the object or array in which the reader is.
func (r *Reader) leave() {
	for depth := 1; depth > 0; {
		switch r.Data[r.Pos] {
		case '"':
			r.Pos = endOfString(r.Data, r.Pos)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		r.Pos++
	}
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// near is the part of a path that a problem names.
func near(path []Step) []Step {
	length := 0
	for i, s := range path {
		if length += 1 + len(s.Name) + len(s.raw); length > problem.MaxLine {
			return path[:i]
		}
	}
	return path
}

// PointerTo writes a path as RFC 6901 has it.
func PointerTo(path []Step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		if s.Array {
			b.WriteString(strconv.Itoa(s.Index))
		} else {
			b.WriteString(pointerEscape.Replace(s.Name + string(s.raw)))
		}
	}
	return b.String()
}

// Push goes a step down the path, to the value that is read next.
func (r *Reader) Push(s Step) { r.path = append(r.path, s) }

// Pop takes the last step back.
func (r *Reader) Pop() { r.path = r.path[:len(r.path)-1] }

// Space goes to what follows white space.
func (r *Reader) Space() {
	for r.Pos < len(r.Data) {
		switch r.Data[r.Pos] {
		case ' ', '\t', '\r', '\n':
			r.Pos++
		default:
			return
		}
	}
}

// Peek names what begins here, for messages and decisions.
func (r *Reader) Peek() string {
	switch c := r.Data[r.Pos]; c {
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

// Want reports whether the next value begins with c, and otherwise skips it as
// a problem.
func (r *Reader) Want(c byte, what string) bool {
	if r.Data[r.Pos] == c {
		return true
	}
	r.Fail("expected %s, found %s", what, r.Peek())
	r.Open()
	return false
}

// Token returns the string, number or word that begins here.
func (r *Reader) Token() []byte {
	start := r.Pos
	if r.Data[r.Pos] == '"' {
		r.Pos = endOfString(r.Data, r.Pos)
		return r.Data[start:r.Pos]
	}
	for r.Pos < len(r.Data) {
		switch r.Data[r.Pos] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return r.Data[start:r.Pos]
		}
		r.Pos++
	}
	return r.Data[start:r.Pos]
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

// Text returns the string that begins here.
func (r *Reader) Text() string {
	return Unquote(r.Token())
}

// NextMember goes from the brace or the value before to the value of an object's next member,
// and returns its name as it is written; nil, at the closing brace: there is none.
func (r *Reader) NextMember() []byte {
	r.Space()
	switch r.Data[r.Pos] {
	case '}':
		return nil
	case ',':
		r.Pos++
		r.Space()
	}
	name := r.Token()
	r.Space()
	r.Pos++ // the colon
	r.Space()
	return name
}

// Each calls fn at each member's value, with the member's name on the path. It
// refuses names that come twice.
func (r *Reader) Each(fn func(name string)) {
	var few [16]string
	names := few[:0]
	var many map[string]bool
	r.Pos++
	for token := r.NextMember(); token != nil; token = r.NextMember() {
		name := r.Word(token)
		if r.sated() {
			r.leave()
			return
		}
		r.Push(Step{Name: name})
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
			r.Fail("the member appears twice")
			r.Open()
		} else {
			fn(name)
		}
		r.Pop()
	}
	r.Pos++
}

// Elements calls fn at each element, with its index on the path.
func (r *Reader) Elements(fn func(i int)) {
	r.Pos++
	i := 0
	for r.Space(); r.Data[r.Pos] != ']'; r.Space() {
		if r.Data[r.Pos] == ',' {
			r.Pos++
			r.Space()
		}
		if r.sated() {
			r.leave()
			return
		}
		r.Push(Step{Index: i, Array: true})
		fn(i)
		r.Pop()
		i++
	}
	r.Pos++
}

// IsNull reports whether null begins here.
func (r *Reader) IsNull() bool { return r.Data[r.Pos] == 'n' }
