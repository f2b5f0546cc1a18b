package protocol

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// Strip removes from an event what this version does not recognise, at any depth, as a
// receiver does that acts on it rather than relaying it. It removes unknown members. It
// removes unknown alternatives with the smallest thing that can go: the element of a list,
// the optional member, or else the object around it. It returns a pointer to each thing
// removed, for a warning; nil if the event is whole. An event that cannot do without what
// was removed is returned by that pointer being empty, and so is one of an unknown type:
// drop it.
func Strip(e Event) (removed []string) {
	k := kinds[e.Type()]
	if k == nil {
		return []string{""}
	}
	s := stripper{}
	if !s.strip(k.shape, reflect.ValueOf(e).Elem()) {
		s.removed = append(s.removed, "")
	}
	return s.removed
}

// Strip is the package's Strip for an input. It does not change what the input points to,
// which may be shared with a copy of the input that keeps all of it.
func (in *RunAgentInput) Strip() (removed []string) {
	s := stripper{}
	s.strip(shapeOf(reflect.TypeFor[RunAgentInput]()), reflect.ValueOf(in).Elem())
	return s.removed
}

// rawMembers is what Extra is.
type rawMembers = map[string]json.RawMessage

// stripper copies what it has to change, and only that: most of what comes is
// whole, and a whole history is long.
type stripper struct {
	path    []wire.Step
	removed []string
}

func (s *stripper) strip(shape *shape, v reflect.Value) (stays bool) {
	left, stays := s.object(shape, shape.all, v)
	if stays && left.IsValid() {
		v.Set(left)
	}
	return stays
}

// remove notes that what is at the path goes, or the Step from there.
func (s *stripper) remove(from ...wire.Step) {
	s.removed = append(s.removed, wire.PointerTo(append(s.path, from...)))
}

// value returns what is left of v, the zero Value if that is all of it, and
// reports whether it can stay.
func (s *stripper) value(shape *shape, v reflect.Value) (left reflect.Value, stays bool) {
	switch shape.form {
	case formArray:
		return s.array(shape, v), true
	case formContent:
		c := v.Addr().Interface().(*Content)
		if parts := s.array(shape, reflect.ValueOf(&c.parts).Elem()); parts.IsValid() {
			return reflect.ValueOf(PartsOf(parts.Interface().([]Part)...)).Elem(), true
		}
	case formPatch:
		known, unknown, err := wire.KnownOperations(v.Bytes())
		if err == nil && unknown != nil {
			for _, i := range unknown {
				s.remove(wire.Step{Index: i, Array: true})
			}
			return reflect.ValueOf(&known).Elem().Convert(v.Type()), true
		}
	case formStruct:
		m := shape.all
		if shape.union != nil {
			var known bool
			if m, known = shape.membersFor(v.FieldByIndex(shape.fields[shape.tagAt].index).String()); !known {
				s.remove()
				return left, false
			}
		}
		return s.object(shape, m, v)
	}
	return left, true
}

func (s *stripper) array(shape *shape, v reflect.Value) (left reflect.Value) {
	if shape.elem == nil || shape.elem.form != formStruct {
		return left
	}
	for i := range v.Len() {
		s.path = append(s.path, wire.Step{Index: i, Array: true})
		elem, stays := s.value(shape.elem, v.Index(i))
		s.path = s.path[:len(s.path)-1]
		if (elem.IsValid() || !stays) && !left.IsValid() {
			left = reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v.Slice(0, i))
		}
		switch {
		case !left.IsValid() || !stays:
		case elem.IsValid():
			left = reflect.Append(left, elem)
		default:
			left = reflect.Append(left, v.Index(i))
		}
	}
	return left
}

func (s *stripper) object(shape *shape, m *members, v reflect.Value) (left reflect.Value, stays bool) {
	change := func(f *field) reflect.Value {
		if !left.IsValid() {
			left = reflect.New(shape.typ).Elem()
			left.Set(v)
		}
		return fieldOf(left, f.index)
	}
	for i := range shape.fields {
		f := &shape.fields[i]
		fv := fieldOf(v, f.index)
		if i == shape.extra {
			if fv.Len() == 0 {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(fv.Interface().(rawMembers))) {
				s.remove(wire.Step{Name: name})
			}
			change(f).SetZero()
			continue
		}
		if m.use[i] == unused || absent(fv) {
			continue
		}
		if f.pointer {
			fv = fv.Elem()
		}
		s.path = append(s.path, wire.Step{Name: f.name})
		own, stays := s.value(m.shape(shape, i), fv)
		s.path = s.path[:len(s.path)-1]
		switch {
		case !stays && m.use[i] == required:
			return left, false
		case !stays:
			change(f).SetZero()
		case own.IsValid() && f.pointer:
			change(f).Set(own.Addr())
		case own.IsValid():
			change(f).Set(own)
		}
	}
	return left, true
}
