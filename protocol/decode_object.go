package protocol

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// object reads a struct or a union. discriminator is a member that the caller
// has read already; "": there is none.
func (r *reader) object(s *shape, v reflect.Value, discriminator string) {
	if !r.Want('{', "an object") {
		return
	}
	m, ok := r.members(s)
	if !ok {
		r.Open()
		return
	}
	var seen uint64
	var extra map[string]json.RawMessage
	r.Each(func(name string) {
		if name == discriminator && discriminator != "" {
			r.Open()
			return
		}
		i, known := m.index[name]
		if !known {
			raw := r.unknown(s, m, name, discriminator)
			if s.extra >= 0 && v.IsValid() {
				if extra == nil {
					extra = map[string]json.RawMessage{}
				}
				extra[name] = slices.Clone(raw)
			}
			return
		}
		seen |= 1 << i
		r.member(s, m, i, v)
	})
	for i := range s.fields {
		if m.use[i] == required && seen&(1<<i) == 0 && (r.Strict || !s.fields[i].defaulted && !(r.absent && s.fields[i].forgiven)) {
			r.Fail("the member %q is required", s.fields[i].name)
		}
	}
	if extra != nil {
		fieldOf(v, s.fields[s.extra].index).Set(reflect.ValueOf(extra))
	}
}

// members picks the list of members that the object here has.
func (r *reader) members(s *shape) (*members, bool) {
	if s.union == nil {
		return s.all, true
	}
	tag, found, isString := r.Lookup(s.tag)
	switch {
	case !found:
		r.Fail("the member %q is required", s.tag)
		return nil, false
	case !isString || tag == "":
		r.Push(wire.Step{Name: s.tag})
		r.Fail("expected one of %s", strings.Join(s.nominal, ", "))
		r.Pop()
		return nil, false
	}
	m, known := s.membersFor(tag)
	if !known && r.Strict {
		r.Push(wire.Step{Name: s.tag})
		r.Fail("expected one of %s, found %q", strings.Join(s.nominal, ", "), tag)
		r.Pop()
		return nil, false
	}
	return m, true
}

// unknown reads a member that is not in the list. If the list is closed, a name that
// differs from a known one by case is refused: somebody's reader would take it for the
// known one.
func (r *reader) unknown(s *shape, m *members, name, discriminator string) []byte {
	if !s.open {
		if discriminator != "" && strings.EqualFold(name, discriminator) {
			r.Fail("differs from %q only by case", discriminator)
		}
		for known := range m.index {
			if strings.EqualFold(known, name) {
				r.Fail("differs from %q only by case", known)
			}
		}
		if r.Strict {
			r.Fail("the member is not defined here")
		}
	}
	return r.Open()
}

func (r *reader) member(s *shape, m *members, i int, v reflect.Value) {
	f := &s.fields[i]
	if r.IsNull() && r.passesNull(f, m.use[i] == required) {
		r.nulls = true
		r.Token()
		return
	}
	if r.absent && f.echo {
		r.Open()
		return
	}
	var fv reflect.Value
	if v.IsValid() {
		fv = fieldOf(v, f.index)
		if f.pointer {
			fv.Set(reflect.New(f.shape.typ))
			fv = fv.Elem()
		}
	}
	r.value(m.shape(s, i), fv)
}

// passesNull reports whether null reads as if the member were not there.
func (r *reader) passesNull(f *field, needed bool) bool {
	switch {
	case r.Strict:
		return false
	case needed:
		return r.absent && (f.defaulted || f.forgiven)
	}
	return r.absent || f.nullable
}
