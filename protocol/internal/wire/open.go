package wire

import (
	"bytes"
	"slices"
)

// Open walks a value of any form and returns its bytes. Names that come twice
// are refused here too: two readers of the same bytes must see the same value.
// Its depth counts from here, so that a value that can be read can be written.
func (r *Reader) Open() []byte {
	start := r.Pos
	r.base = len(r.path)
	r.walk()
	return r.Data[start:r.Pos]
}

func (r *Reader) walk() {
	switch c := r.Data[r.Pos]; {
	case (c == '{' || c == '[') && len(r.path)-r.base >= maxDepth:
		r.Fail("nested deeper than %d", maxDepth)
		r.Skim()
	case c == '{':
		r.walkObject()
	case c == '[':
		r.Elements(func(int) { r.walk() })
	default:
		r.Token()
	}
}

// walkObject is each for values that nobody looks into, without making strings
// of their names.
func (r *Reader) walkObject() {
	var few [32][]byte
	names := few[:0]
	var many map[string]bool
	r.Pos++
	for token := r.NextMember(); token != nil; token = r.NextMember() {
		name := token[1 : len(token)-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(Unquote(token))
		}
		if r.sated() {
			r.leave()
			return
		}
		r.Push(Step{raw: name})
		again := false
		if many == nil {
			again = slices.ContainsFunc(names, func(n []byte) bool { return bytes.Equal(n, name) })
			if names = append(names, name); len(names) == len(few) {
				many = make(map[string]bool, 2*len(few))
				for _, n := range names {
					many[string(n)] = true
				}
			}
		} else if again = many[string(name)]; !again {
			many[string(name)] = true
		}
		if again {
			r.Fail("the member appears twice")
		}
		r.walk()
		r.Pop()
	}
	r.Pos++
}

// SkipValue returns what follows the object or array at the beginning of data.
func SkipValue(data []byte) []byte {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return data[i+1:]
			}
		case '"':
			i = endOfString(data, i) - 1
		}
	}
	return nil
}

// Skim returns the value that begins here without looking into it.
func (r *Reader) Skim() []byte {
	start := r.Pos
	switch r.Data[r.Pos] {
	case '{', '[':
		r.Pos = len(r.Data) - len(SkipValue(r.Data[r.Pos:]))
	default:
		r.Token()
	}
	return r.Data[start:r.Pos]
}
