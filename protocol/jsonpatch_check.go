package protocol

import "strings"

// patchMembers says what each operation of a JSON Patch needs besides "op" and
// "path". Other members are legal and kept.
var patchMembers = map[string]string{
	"add": "value", "replace": "value", "test": "value",
	"move": "from", "copy": "from",
	"remove": "",
}

func checkPatch(raw []byte) error {
	r, bad := newReader(raw, false)
	if bad != nil {
		return bad
	}
	r.patch()
	return r.err()
}

// patch reads a JSON Patch. A lenient reader lets operations pass that it does
// not know.
func (r *reader) patch() {
	if !r.want('[', "an array of operations") {
		return
	}
	r.elements(func(int) { r.operation() })
}

func (r *reader) oneOperation(op string) {
	if r.data[r.pos] == '{' {
		if found, _, _ := r.lookup("op"); found != op {
			r.push(step{name: "op"})
			r.fail("expected %q", op)
			r.pop()
		}
	}
	r.operation()
}

func (r *reader) operation() {
	if !r.want('{', "an operation") {
		return
	}
	op, found, isString := r.lookup("op")
	needs, known := patchMembers[op]
	switch {
	case !found:
		r.fail(`the member "op" is required`)
	case !isString || !known && r.strict:
		r.push(step{name: "op"})
		r.fail("expected one of add, remove, replace, move, copy, test")
		r.pop()
	}
	if !known {
		r.open()
		return
	}
	var path, second bool
	r.each(func(name string) {
		path = path || name == "path"
		second = second || name == needs
		if name == "path" || name == "from" && needs == "from" {
			r.location()
			return
		}
		r.open()
	})
	if !path {
		r.fail(`the member "path" is required`)
	}
	if needs != "" && !second {
		r.fail("the member %q is required", needs)
	}
}

func (r *reader) location() {
	if !r.want('"', "a JSON pointer") {
		return
	}
	if text := r.text(); !isPointer(text) {
		r.fail("%q is not a JSON pointer", text)
	}
}

func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for {
		i := strings.IndexByte(s, '~')
		if i < 0 {
			return true
		}
		if i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1' {
			return false
		}
		s = s[i+2:]
	}
}

// knownOperations returns the patch without the operations that this version
// does not know, and the places of these in it.
func knownOperations(ops []byte) (known []byte, unknown []int, err error) {
	r, bad := newReader(ops, false)
	if bad != nil {
		return nil, nil, bad
	}
	if !r.want('[', "an array of operations") {
		return nil, nil, r.err()
	}
	kept := []byte{'['}
	r.elements(func(i int) {
		op := ""
		if r.data[r.pos] == '{' {
			op, _, _ = r.lookup("op")
		}
		raw := r.open()
		if _, known := patchMembers[op]; !known {
			unknown = append(unknown, i)
			return
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, raw...)
	})
	if unknown == nil {
		return ops, nil, r.err()
	}
	return append(kept, ']'), unknown, r.err()
}
