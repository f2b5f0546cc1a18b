package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// Append appends the event's JSON to dst. Members come in the order of the
// specification's tables, nothing is escaped for HTML, and open JSON is written
// without insignificant space, so that an event never spans lines. It refuses
// what a strict reader would: an event that is not of this package, a value
// outside an enumeration, open JSON that is not JSON. dst is returned unchanged
// with an error.
func Append(dst []byte, e Event) ([]byte, error) {
	if e == nil {
		return dst, errors.New("protocol: encode: no event")
	}
	if u, ok := e.(*Unknown); ok {
		out, err := wire.AppendOpen(dst, u.Raw)
		if err != nil {
			return dst, fmt.Errorf("protocol: encode %s: %w", u.Name, err)
		}
		return out, nil
	}
	if l, ok := layOut(e); ok {
		return l.appendTo(dst), nil
	}
	return appendShaped(dst, e)
}

// appendShaped appends an event by the shape of its struct.
func appendShaped(dst []byte, e Event) ([]byte, error) {
	k := kinds[e.Type()]
	v := reflect.ValueOf(e)
	if k == nil || v.Kind() != reflect.Pointer || v.IsNil() || v.Type().Elem() != k.typ {
		return dst, fmt.Errorf("protocol: encode: %T is not an event of this package", e)
	}
	out, err := appendMembers(append(dst, k.open...), k.shape, k.shape.all, v.Elem())
	if err != nil {
		return dst, fmt.Errorf("protocol: encode %s: %w", k.name, err)
	}
	return append(out, '}'), nil
}

// Encode returns the event's JSON in a slice of its own. See Append.
func Encode(e Event) ([]byte, error) {
	if l, ok := layOut(e); ok {
		return l.appendTo(make([]byte, 0, l.size())), nil
	}
	return Append(make([]byte, 0, sizeHint(e)), e)
}

// sizeHint lets most events be encoded in one allocation.
func sizeHint(e Event) int {
	const envelope = 192
	switch e := e.(type) {
	case *StateSnapshot:
		return envelope + len(e.Snapshot)
	case *StateDelta:
		return envelope + len(e.Delta)
	case *MessagesSnapshot:
		return envelope + e.Messages.sizeHint()
	}
	return envelope
}

// marshal encodes a value of this package for encoding/json.
func marshal[T any](v *T) ([]byte, error) {
	return appendValue(nil, shapeOf(reflect.TypeFor[T]()), reflect.ValueOf(v).Elem())
}

func appendValue(dst []byte, s *shape, v reflect.Value) ([]byte, error) {
	switch s.form {
	case formString:
		text := v.String()
		if s.enum != nil && !slices.Contains(s.enum, text) {
			if text != "" || len(s.enum) != 1 {
				return dst, fmt.Errorf("%q is not one of %s", text, strings.Join(s.enum, ", "))
			}
			text = s.enum[0]
		}
		return wire.AppendString(dst, text), nil
	case formInteger:
		n := v.Int()
		if n > wire.MaxInteger || n < wire.MinInteger || s.count && n < 0 {
			return dst, fmt.Errorf("%d is out of range", n)
		}
		return strconv.AppendInt(dst, n, 10), nil
	case formBool:
		return strconv.AppendBool(dst, v.Bool()), nil
	case formOpen:
		return wire.AppendOpen(dst, v.Bytes())
	case formObject:
		return wire.AppendObject(dst, v.Bytes())
	case formPatch:
		return wire.AppendPatch(dst, v.Bytes())
	case formMetadata:
		return appendMetadata(dst, v.Interface().(Metadata))
	case formArray:
		return appendArray(dst, s, v)
	case formContent:
		return appendContent(dst, s, v.Addr().Interface().(*Content))
	}
	m, tag := s.all, ""
	if s.union != nil {
		tag = v.FieldByIndex(s.fields[s.tagAt].index).String()
		if tag == "" {
			return dst, fmt.Errorf("%s has no %s", s.typ.Name(), s.tag)
		}
		m, _ = s.membersFor(tag)
	}
	start := len(dst)
	dst, err := appendMembers(append(dst, '{'), s, m, v)
	if err != nil {
		return dst, err
	}
	if len(dst) > start+1 { // every member came with a comma before it
		copy(dst[start+1:], dst[start+2:])
		dst = dst[:len(dst)-1]
	}
	return append(dst, '}'), nil
}

// appendMembers appends what the struct holds, each member after a comma.
func appendMembers(dst []byte, s *shape, m *members, v reflect.Value) ([]byte, error) {
	var err error
	for i := range s.fields {
		if i == s.extra {
			continue
		}
		f := &s.fields[i]
		fv := fieldOf(v, f.index)
		switch {
		case m.use[i] == unused:
			if !fv.IsZero() {
				return dst, fmt.Errorf("%s %q has no member %q", s.typ.Name(), v.FieldByIndex(s.fields[s.tagAt].index), f.name)
			}
			continue
		case m.use[i] == optionalUse && f.omit && absent(fv):
			continue
		}
		dst = append(dst, f.key...)
		fs := m.shape(s, i)
		if f.pointer {
			if fv.IsNil() {
				if fs.form != formContent {
					return dst, fmt.Errorf("%s: must be there", f.name)
				}
				dst = append(dst, emptyOf(fs)...)
				continue
			}
			fv = fv.Elem()
		}
		if dst, err = appendValue(dst, fs, fv); err != nil {
			return dst, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if s.extra < 0 {
		return dst, nil
	}
	extra := fieldOf(v, s.fields[s.extra].index)
	if extra.Len() == 0 {
		return dst, nil
	}
	return appendExtra(dst, s, m, extra.Interface().(map[string]json.RawMessage))
}

// fieldOf is FieldByIndex for the two depths that there are.
func fieldOf(v reflect.Value, index []int) reflect.Value {
	v = v.Field(index[0])
	if len(index) == 2 {
		v = v.Field(index[1])
	}
	return v
}

// absent is what omitzero means, without its cost.
func absent(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String:
		return v.Len() == 0
	case reflect.Int64:
		return v.Int() == 0
	case reflect.Pointer, reflect.Map:
		return v.IsNil()
	case reflect.Slice:
		if v.Type() == anyType {
			return Any(v.Bytes()).IsZero()
		}
		return v.IsNil()
	}
	return v.IsZero()
}

// emptyOf is what a required member reads as when the program left it nil.
func emptyOf(s *shape) string {
	if s.form == formContent && s.forms == contentObject {
		return "{}"
	}
	return `""`
}

func appendArray(dst []byte, s *shape, v reflect.Value) ([]byte, error) {
	if s.nonempty && v.Len() == 0 {
		return dst, errors.New("needs at least one element")
	}
	var err error
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = appendValue(dst, s.elem, v.Index(i)); err != nil {
			return dst, fmt.Errorf("%d: %w", i, err)
		}
	}
	return append(dst, ']'), nil
}

func appendContent(dst []byte, s *shape, c *Content) ([]byte, error) {
	kind := max(c.kind, contentText)
	if s.forms&kind == 0 {
		return dst, fmt.Errorf("content may not be %s here", kind)
	}
	switch kind {
	case contentParts:
		return appendArray(dst, s, reflect.ValueOf(c.parts))
	case contentObject:
		return wire.AppendObject(dst, c.object)
	}
	return wire.AppendString(dst, c.text), nil
}

// appendExtra appends the members that were kept, in the order of their names.
func appendExtra(dst []byte, s *shape, m *members, extra map[string]json.RawMessage) ([]byte, error) {
	var err error
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if m.stands(name) || s.event && strings.EqualFold(name, "type") {
			return dst, fmt.Errorf("extra member %q stands for a known one", name)
		}
		dst = append(wire.AppendString(append(dst, ','), name), ':')
		if dst, err = wire.AppendOpen(dst, extra[name]); err != nil {
			return dst, fmt.Errorf("%s: %w", name, err)
		}
	}
	return dst, nil
}

func appendMetadata(dst []byte, m Metadata) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	for i, name := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(wire.AppendString(dst, name), ':')
		if dst, err = wire.AppendOpen(dst, m[name]); err != nil {
			return dst, fmt.Errorf("%s: %w", name, err)
		}
	}
	return append(dst, '}'), nil
}
