package protocol

import (
	"reflect"
	"slices"
	"strings"
)

// Decode reads one event. Members that this version does not know are kept in
// Extra, at any depth, and an event of a type that it does not know is an
// *Unknown: a relay loses nothing. A known member with a wrong value, a name
// that comes twice, and a name that differs from a known one only by case, are
// a *DecodeError. For peers before 1.0, null reads as absent where their
// releases wrote it. The event keeps no reference to data.
func Decode(data []byte) (Event, error) {
	if d, ok := readLaid(data, nil); ok {
		return d.event(unquote(d.id)), nil
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
		r.open()
		return &Unknown{Name: name, Raw: slices.Clone(data)}, false, r.err()
	}
	e = k.make()
	r.object(k.shape, reflect.ValueOf(e).Elem(), "type")
	if err := r.err(); err != nil {
		return nil, false, err
	}
	return e, r.nulls, nil
}

// DecodeInput reads a RunAgentInput. Absent messages, tools and context read as empty, and
// null as absent wherever a member may be. A message without an id reads as one of the id
// "". Members that this version does not know are kept in Extra; see RunAgentInput.Strip.
// The binary parts of releases before 1.0 become image, audio, video and document parts
// with all that they held, and Profile.Apply makes them binary again for such peers.
// Everything else that is wrong is a *DecodeError.
func DecodeInput(data []byte) (*RunAgentInput, error) {
	d, bad := newDocument(data)
	if bad != nil {
		return nil, bad
	}
	return d.DecodeInput()
}

// unmarshal reads a value of this package, forgiving what is unrecognised.
func unmarshal[T any](data []byte, into *T) error {
	d, bad := newDocument(data)
	if bad != nil {
		return bad
	}
	return read(d, into)
}

func read[T any](d Document, into *T) error {
	r := d.reader(false)
	var v T
	r.value(shapeOf(reflect.TypeFor[T]()), reflect.ValueOf(&v).Elem())
	if err := r.err(); err != nil {
		return err
	}
	*into = v
	return nil
}

// eventType looks for "type" without moving.
func (r *reader) eventType() (EventType, *DecodeError) {
	if r.data[r.pos] != '{' {
		return "", problem("", "expected an object, found %s", r.peek())
	}
	name, found, isString := r.lookup("type")
	switch {
	case !found:
		return "", problem("", `the member "type" is required`)
	case !isString || name == "":
		return "", problem("/type", "expected the name of an event")
	}
	return EventType(name), nil
}

// lookup finds a string member of the object that begins here.
func (r *reader) lookup(name string) (text string, found, isString bool) {
	switch token := r.find(name); {
	case token == nil:
		return "", false, false
	case token[0] != '"':
		return "", true, false
	default:
		return word(token), true, true
	}
}

// find returns the value of a member of the object that begins here, nil if it has none. It
// returns no more than the beginning of an object or an array.
func (r *reader) find(name string) []byte {
	ahead := reader{data: r.data, pos: r.pos}
	ahead.pos++
	for key := ahead.nextMember(); key != nil; key = ahead.nextMember() {
		if string(key[1:len(key)-1]) == name || slices.Contains(key, '\\') && unquote(key) == name {
			return ahead.token()
		}
		if c := ahead.data[ahead.pos]; c == '{' || c == '[' {
			ahead.pos = len(ahead.data) - len(skipValue(ahead.data[ahead.pos:]))
		} else {
			ahead.token()
		}
	}
	return nil
}

func (r *reader) value(s *shape, v reflect.Value) {
	switch s.form {
	case formString:
		r.string(s, v)
	case formInteger:
		r.integer(s, v)
	case formBool:
		if c := r.data[r.pos]; c != 't' && c != 'f' {
			r.want('t', "a boolean")
		} else if r.token(); v.IsValid() {
			v.SetBool(c == 't')
		}
	case formOpen:
		if s.nonNull && r.isNull() {
			r.fail("null is not a value here")
		}
		r.keep(v, r.open())
	case formObject:
		if r.want('{', "an object") {
			r.keep(v, r.open())
		}
	case formPatch:
		start := r.pos
		r.patch()
		r.keep(v, r.data[start:r.pos])
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
	if !r.want('{', "an object") {
		return
	}
	m := Metadata{}
	r.each(func(name string) {
		raw := r.open()
		if v.IsValid() {
			m[name] = slices.Clone(raw)
		}
	})
	if v.IsValid() {
		v.Set(reflect.ValueOf(m))
	}
}

func (r *reader) array(s *shape, v reflect.Value) {
	if !r.want('[', "an array") {
		return
	}
	if v.IsValid() {
		v.Set(reflect.MakeSlice(v.Type(), 0, 4))
	}
	messages, _ := address(v).(*Messages)
	n, start := 0, r.pos
	r.elements(func(int) {
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
		r.fail("expected at least one element")
	}
}

// moreElements says for how many further elements of an array there should be room
// when the n-th is there: as many as the document holds if they go on like this. A long
// history is copied a few times then. Whatever the rest is, room for fifteen times what
// has come is the most.
func (r *reader) moreElements(n, start int) int {
	left := len(r.data) - r.pos
	return min(1+left*n/(r.pos-start+1), 15*n)
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
	switch b := r.data[r.pos]; {
	case b == '"' && s.forms&contentText != 0:
		*into = Content{kind: contentText, text: r.text()}
	case b == '{' && s.forms&contentObject != 0:
		*into = Content{kind: contentObject, object: slices.Clone(r.open())}
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
		r.want(0, strings.Join(allowed, " or "))
	}
}
