package protocol

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
)

// Strip removes from an event what this version does not recognise, at any
// depth, as a receiver does that acts on it rather than relaying it: unknown
// members, and unknown alternatives with the smallest thing that can go, which
// is the element of a list, the optional member, or else the object around it.
// It returns a pointer to each thing removed, for a warning; nil if the event
// is whole. An event that cannot do without what was removed is returned by
// that pointer being empty, and so is one of an unknown type: drop it.
func Strip(e Event) (removed []string) {
	k := kinds[e.Type()]
	if k == nil {
		return []string{""}
	}
	s := stripper{}
	if !s.object(k.shape, k.shape.all, reflect.ValueOf(e).Elem(), "") {
		s.removed = append(s.removed, "")
	}
	return s.removed
}

// Strip is the package's Strip for an input.
func (in *RunAgentInput) Strip() (removed []string) {
	s := stripper{}
	shape := shapeOf(reflect.TypeFor[RunAgentInput]())
	s.object(shape, shape.all, reflect.ValueOf(in).Elem(), "")
	return s.removed
}

// rawMembers is what Extra is.
type rawMembers = map[string]json.RawMessage

type stripper struct{ removed []string }

func (s *stripper) remove(path string) bool {
	s.removed = append(s.removed, path)
	return false
}

// value strips v in place and reports whether it can stay.
func (s *stripper) value(shape *shape, v reflect.Value, path string) bool {
	switch shape.form {
	case formArray:
		s.array(shape, v, path)
	case formContent:
		c := v.Interface().(Content)
		if c.kind == contentParts {
			c.parts = slices.Clone(c.parts)
			s.array(shape, reflect.ValueOf(&c.parts).Elem(), path)
			v.Set(reflect.ValueOf(c))
		}
	case formPatch:
		known, unknown, err := knownOperations(v.Bytes())
		if err == nil && unknown != nil {
			for _, i := range unknown {
				s.remove(path + "/" + strconv.Itoa(i))
			}
			v.SetBytes(known)
		}
	case formStruct:
		m := shape.all
		if shape.union != nil {
			var known bool
			if m, known = shape.membersFor(v.FieldByIndex(shape.fields[shape.tagAt].index).String()); !known {
				return s.remove(path)
			}
		}
		return s.object(shape, m, v, path)
	}
	return true
}

func (s *stripper) array(shape *shape, v reflect.Value, path string) {
	if shape.elem.form != formStruct || v.Len() == 0 {
		return
	}
	kept := reflect.MakeSlice(v.Type(), 0, v.Len())
	for i := range v.Len() {
		elem := reflect.New(shape.elem.typ).Elem()
		elem.Set(v.Index(i))
		if s.value(shape.elem, elem, path+"/"+strconv.Itoa(i)) {
			kept = reflect.Append(kept, elem)
		}
	}
	v.Set(kept)
}

func (s *stripper) object(shape *shape, m *members, v reflect.Value, path string) bool {
	for i := range shape.fields {
		f := &shape.fields[i]
		fv := fieldOf(v, f.index)
		if i == shape.extra {
			for _, name := range slices.Sorted(maps.Keys(fv.Interface().(rawMembers))) {
				s.remove(path + "/" + pointerEscape.Replace(name))
			}
			fv.SetZero()
			continue
		}
		if m.use[i] == unused || absent(fv) {
			continue
		}
		own := fv
		if f.pointer {
			own = reflect.New(f.shape.typ).Elem()
			own.Set(fv.Elem())
		}
		if !s.value(m.shape(shape, i), own, path+"/"+f.name) {
			if m.use[i] == required {
				return false
			}
			fv.SetZero()
			continue
		}
		if f.pointer {
			fv.Set(own.Addr())
		}
	}
	return true
}
