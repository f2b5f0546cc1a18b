package wire

import "strings"

// PatchMembers says what each operation of a JSON Patch needs besides "op" and
// "path". Other members are legal and kept.
var PatchMembers = map[string]string{
	"add": "value", "replace": "value", "test": "value",
	"move": "from", "copy": "from",
	"remove": "",
}

// PatchWords are the words of patches.
var PatchWords = func() map[string]string {
	all := map[string]string{"op": "op", "path": "path"}
	for op, needs := range PatchMembers {
		all[op], all[needs] = op, needs
	}
	return all
}()

// CheckPatch says why a text is not a JSON Patch; nil: it is one, or one with operations
// that are not known.
func CheckPatch(raw []byte) error {
	r, bad := NewReader(raw, false)
	if bad != nil {
		return bad
	}
	r.Words = PatchWords
	r.Patch()
	return r.Err()
}

// Patch reads a JSON Patch. A lenient reader lets operations pass that it does
// not know.
func (r *Reader) Patch() {
	if !r.Want('[', "an array of operations") {
		return
	}
	r.Elements(func(int) { r.Operation() })
}

// OneOperation reads an operation of a kind.
func (r *Reader) OneOperation(op string) {
	if r.Data[r.Pos] == '{' {
		if found, _, _ := r.Lookup("op"); found != op {
			r.Push(Step{Name: "op"})
			r.Fail("expected %q", op)
			r.Pop()
		}
	}
	r.Operation()
}

// Operation reads one operation of a patch.
func (r *Reader) Operation() {
	if !r.Want('{', "an operation") {
		return
	}
	op, found, isString := r.Lookup("op")
	needs, known := PatchMembers[op]
	switch {
	case !found:
		r.Fail(`the member "op" is required`)
	case !isString || !known && r.Strict:
		r.Push(Step{Name: "op"})
		r.Fail("expected one of add, remove, replace, move, copy, test")
		r.Pop()
	}
	if !known {
		r.Open()
		return
	}
	var path, second bool
	r.Each(func(name string) {
		path = path || name == "path"
		second = second || name == needs
		if name == "path" || name == "from" && needs == "from" {
			r.Location()
			return
		}
		r.Open()
	})
	if !path {
		r.Fail(`the member "path" is required`)
	}
	if needs != "" && !second {
		r.Fail("the member %q is required", needs)
	}
}

// Location reads a JSON pointer.
func (r *Reader) Location() {
	if !r.Want('"', "a JSON pointer") {
		return
	}
	if text := r.Text(); !isPointer(text) {
		r.Fail("%q is not a JSON pointer", text)
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

// KnownOperations returns the patch without the operations that this version
// does not know, and the places of these in it.
func KnownOperations(ops []byte) (known []byte, unknown []int, err error) {
	r, bad := NewReader(ops, false)
	if bad != nil {
		return nil, nil, bad
	}
	r.Words = PatchWords
	if !r.Want('[', "an array of operations") {
		return nil, nil, r.Err()
	}
	kept := []byte{'['}
	r.Elements(func(i int) {
		op := ""
		if r.Data[r.Pos] == '{' {
			op, _, _ = r.Lookup("op")
		}
		raw := r.Open()
		if _, known := PatchMembers[op]; !known {
			unknown = append(unknown, i)
			return
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, raw...)
	})
	if unknown == nil {
		return ops, nil, r.Err()
	}
	return append(kept, ']'), unknown, r.Err()
}
