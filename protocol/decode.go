package protocol

import (
	"reflect"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/problem"
)

// Decode reads one event. Members that this version does not know are kept in
// Extra, at any depth, and an event of a type that it does not know is an
// *Unknown: a relay loses nothing. A known member with a wrong value, a name
// that comes twice, and a name that differs from a known one only by case, are
// a *problem.Error. For peers before 1.0, null reads as absent where their
// releases wrote it. The event keeps no reference to data.
func Decode(data []byte) (Event, error) {
	if d, ok := readLaid(data, nil); ok {
		return d.event(wire.Unquote(d.id)), nil
	}
	e, _, err := decodeGeneral(data, false)
	return e, err
}

// decodeGeneral reads any event. nulls: some of its members are null that read as absent.
func decodeGeneral(data []byte, lenient bool) (e Event, nulls bool, err error) {
	r, bad := newReader(data, false)
	if bad != nil {
		return nil, false, bad
	}
	r.absent = lenient
	name, bad := r.eventType()
	if bad != nil {
		return nil, false, bad
	}
	k := kinds[name]
	if k == nil {
		r.Open()
		return &Unknown{Name: name, Raw: slices.Clone(data)}, false, r.Err()
	}
	e = k.make()
	r.object(k.shape, reflect.ValueOf(e).Elem(), "type")
	if err := r.Err(); err != nil {
		return nil, false, err
	}
	return e, r.nulls, nil
}

// DecodeInput reads a RunAgentInput. Absent messages, tools and context read as empty, and
// null as absent wherever a member may be. A message without an id reads as one of the id
// "". Members that this version does not know are kept in Extra; see RunAgentInput.Strip.
// The binary parts of releases before 1.0 become image, audio, video and document parts
// with all that they held, and downgrade.Profile.Apply makes them binary again for such peers.
// Everything else that is wrong is a *problem.Error.
func DecodeInput(data []byte) (*RunAgentInput, error) {
	d, err := NewDocument(data)
	if err != nil {
		return nil, err
	}
	return d.DecodeInput()
}

// unmarshal reads a value of this package, forgiving what is unrecognised.
func unmarshal[T any](data []byte, into *T) error {
	r, bad := newReader(data, false)
	if bad != nil {
		return bad
	}
	var v T
	r.value(shapeOf(reflect.TypeFor[T]()), reflect.ValueOf(&v).Elem())
	if err := r.Err(); err != nil {
		return err
	}
	*into = v
	return nil
}

// eventType looks for "type" without moving.
func (r *reader) eventType() (EventType, *problem.Error) {
	if r.Data[r.Pos] != '{' {
		return "", problem.At("", "expected an object, found %s", r.Peek())
	}
	name, found, isString := r.Lookup("type")
	switch {
	case !found:
		return "", problem.At("", `the member "type" is required`)
	case !isString || name == "":
		return "", problem.At("/type", "expected the name of an event")
	}
	return EventType(name), nil
}

func (r *reader) value(s *shape, v reflect.Value) {
	switch s.form {
	case formString:
		r.string(s, v)
	case formInteger:
		r.integer(s, v)
	case formBool:
		if c := r.Data[r.Pos]; c != 't' && c != 'f' {
			r.Want('t', "a boolean")
		} else if r.Token(); v.IsValid() {
			v.SetBool(c == 't')
		}
	case formOpen:
		if s.nonNull && r.IsNull() {
			r.Fail("null is not a value here")
		}
		r.keep(v, r.Open())
	case formObject:
		if r.Want('{', "an object") {
			r.keep(v, r.Open())
		}
	case formPatch:
		start := r.Pos
		r.Patch()
		r.keep(v, r.Data[start:r.Pos])
	case formMetadata:
		r.metadata(v)
	case formArray:
		r.array(s, v)
	case formContent:
		r.content(s, v)
	default:
		r.object(s, v, "")
	}
}

func (r *reader) keep(v reflect.Value, raw []byte) {
	if v.IsValid() {
		v.SetBytes(slices.Clone(raw))
	}
}

func (r *reader) metadata(v reflect.Value) {
	if !r.Want('{', "an object") {
		return
	}
	m := Metadata{}
	r.Each(func(name string) {
		raw := r.Open()
		if v.IsValid() {
			m[name] = slices.Clone(raw)
		}
	})
	if v.IsValid() {
		v.Set(reflect.ValueOf(m))
	}
}

func (r *reader) array(s *shape, v reflect.Value) {
	if !r.Want('[', "an array") {
		return
	}
	if v.IsValid() {
		v.Set(reflect.MakeSlice(v.Type(), 0, 4))
	}
	messages, _ := address(v).(*Messages)
	n, start := 0, r.Pos
	r.Elements(func(int) {
		n++
		var elem reflect.Value
		if v.IsValid() {
			if n > v.Cap() {
				v.Grow(r.moreElements(n, start))
			}
			v.SetLen(n)
			if messages != nil && r.laidMessage(&(*messages)[n-1]) {
				return
			}
			elem = v.Index(n - 1)
		}
		r.value(s.elem, elem)
	})
	if s.nonempty && n == 0 {
		r.Fail("expected at least one element")
	}
}

// moreElements says for how many further elements of an array there should be room
// when the n-th is there: as many as the document holds if they go on like this. A long
// history is copied a few times then. Whatever the rest is, room for fifteen times what
// has come is the most.
func (r *reader) moreElements(n, start int) int {
	left := len(r.Data) - r.Pos
	return min(1+left*n/(r.Pos-start+1), 15*n)
}

// address is a pointer to what v holds; nil: it holds nothing.
func address(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Addr().Interface()
}

func (r *reader) content(s *shape, v reflect.Value) {
	var into *Content
	if v.IsValid() {
		into = v.Addr().Interface().(*Content)
	} else {
		into = new(Content)
	}
	switch b := r.Data[r.Pos]; {
	case b == '"' && s.forms&contentText != 0:
		*into = Content{kind: contentText, text: r.Text()}
	case b == '{' && s.forms&contentObject != 0:
		*into = Content{kind: contentObject, object: slices.Clone(r.Open())}
	case b == '[' && s.forms&contentParts != 0:
		into.kind = contentParts
		parts := shape{form: formArray, typ: reflect.TypeFor[[]Part](), elem: s.elem}
		r.array(&parts, reflect.ValueOf(&into.parts).Elem())
	default:
		var allowed []string
		for _, k := range []contentKind{contentText, contentParts, contentObject} {
			if s.forms&k != 0 {
				allowed = append(allowed, k.String())
			}
		}
		r.Want(0, strings.Join(allowed, " or "))
	}
}
