package protocol

import (
	"bytes"
	"slices"
)

// open walks a value of any form and returns its bytes. Names that come twice
// are refused here too: two readers of the same bytes must see the same value.
// Its depth counts from here, so that a value that can be read can be written.
func (r *reader) open() []byte {
	start := r.pos
	r.base = len(r.path)
	r.walk()
	return r.data[start:r.pos]
}

func (r *reader) walk() {
	switch c := r.data[r.pos]; {
	case (c == '{' || c == '[') && len(r.path)-r.base >= maxDepth:
		r.fail("nested deeper than %d", maxDepth)
		r.skim()
	case c == '{':
		r.walkObject()
	case c == '[':
		r.elements(func(int) { r.walk() })
	default:
		r.token()
	}
}

// walkObject is each for values that nobody looks into, without making strings
// of their names.
func (r *reader) walkObject() {
	var few [32][]byte
	names := few[:0]
	var many map[string]bool
	r.pos++
	for token := r.nextMember(); token != nil; token = r.nextMember() {
		name := token[1 : len(token)-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(unquote(token))
		}
		if r.sated() {
			r.leave()
			return
		}
		r.push(step{raw: name})
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
			r.fail("the member appears twice")
		}
		r.walk()
		r.pop()
	}
	r.pos++
}

// skipValue returns what follows the object or array at the beginning of data.
func skipValue(data []byte) []byte {
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
