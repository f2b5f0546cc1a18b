package protocol

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// A shape is the exact JSON form of a Go type of this package. It is derived
// once from the struct's tags and from unions, and drives reading, writing and
// checking alike, so that the three cannot disagree.
//
// The json tag names the member; omitzero makes it optional. The agui tag adds
//
//	enum=a|b     the string is one of these
//	count        the integer is not negative
//	object       the open JSON is an object
//	patch        the open JSON is a JSON Patch
//	content=a|b  the forms that a Content may take here
//	nonempty     the array has an element
//	optional     may be absent when read although it is always written
//	defaulted    required, but a lenient reader fills it in
//	forgiven     required, but a reader that takes null for absent fills it in
//	echo         optional, and a reader that takes null for absent leaves it out
//	nullable     null reads as absent, for peers before 1.0
type shape struct {
	form     form
	typ      reflect.Type
	enum     []string
	elem     *shape // of an array
	nonempty bool
	count    bool
	nonNull  bool        // open JSON: a bare null is not allowed
	forms    contentKind // of a content

	open    bool // members that are not listed are legal, even to a strict reader
	event   bool // has a "type" that is not a field
	fields  []field
	extra   int                 // index of the field that keeps unknown members, -1 for none
	all     *members            // of a struct
	tag     string              // of a union: the member that discriminates
	tagAt   int                 // and its field
	union   map[string]*members // nil unless a union
	nominal []string            // the union's tags, for messages
}

type form uint8

const (
	formString form = iota
	formInteger
	formBool
	formOpen     // any JSON, kept as bytes
	formObject   // an open object, kept as bytes
	formPatch    // a JSON Patch, kept as bytes
	formMetadata // an open object, by key
	formArray
	formStruct // also unions
	formContent
)

type field struct {
	name      string
	key       []byte // "name": with the comma before it
	index     []int
	shape     *shape
	pointer   bool
	omit      bool // absent when zero
	optional  bool
	defaulted bool
	forgiven  bool
	echo      bool
	nullable  bool
}

type use uint8

const (
	unused use = iota
	optionalUse
	required
)

// members is the closed list of what one object may contain.
type members struct {
	use    []use // by field
	index  map[string]int
	shapes map[int]*shape // what differs from the field's own shape
}

func newMembers(n int) *members {
	return &members{use: make([]use, n), index: make(map[string]int, n), shapes: map[int]*shape{}}
}

func (m *members) shape(s *shape, i int) *shape {
	if len(m.shapes) > 0 {
		if own := m.shapes[i]; own != nil {
			return own
		}
	}
	return s.fields[i].shape
}

// stands reports whether the name is a member's, exactly or but for case.
func (m *members) stands(name string) bool {
	if _, ok := m.index[name]; ok {
		return true
	}
	for known := range m.index {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

func (s *shape) field(name string) int {
	for i := range s.fields {
		if s.fields[i].name == name {
			return i
		}
	}
	return -1
}

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s, _ := shapes.LoadOrStore(t, newShape(t, ""))
	return s.(*shape)
}

var (
	rawType      = reflect.TypeFor[json.RawMessage]()
	anyType      = reflect.TypeFor[Any]()
	metadataType = reflect.TypeFor[Metadata]()
	contentType  = reflect.TypeFor[Content]()
	extraType    = reflect.TypeFor[map[string]json.RawMessage]()
)

func newShape(t reflect.Type, tag string) *shape {
	s := &shape{typ: t, extra: -1}
	switch t {
	case rawType, anyType:
		s.form, s.nonNull = formOpen, t == anyType
		switch tag {
		case "object":
			s.form = formObject
		case "patch":
			s.form = formPatch
		}
		return s
	case metadataType:
		s.form = formMetadata
		return s
	case contentType:
		return contentShape(strings.TrimPrefix(tag, "content="))
	}
	switch t.Kind() {
	case reflect.String:
		s.form = formString
		if list, ok := strings.CutPrefix(tag, "enum="); ok {
			s.enum = strings.Split(list, "|")
		}
	case reflect.Int64:
		s.form, s.count = formInteger, tag == "count"
	case reflect.Bool:
		s.form = formBool
	case reflect.Slice:
		s.form, s.elem, s.nonempty = formArray, shapeOf(t.Elem()), tag == "nonempty"
	case reflect.Struct:
		s.form = formStruct
		s.addFields(t, nil)
		s.addMembers()
	default:
		panic(fmt.Sprintf("protocol: no JSON form for %v", t))
	}
	return s
}

func contentShape(forms string) *shape {
	s := &shape{form: formContent, typ: contentType, extra: -1}
	for form := range strings.SplitSeq(forms, "|") {
		switch form {
		case "text":
			s.forms |= contentText
		case "parts":
			s.forms |= contentParts
			s.elem = shapeOf(reflect.TypeFor[Part]())
		case "object":
			s.forms |= contentObject
		default: // the form that stands alone: any of the three
			s.forms = contentText | contentParts | contentObject
			s.elem = shapeOf(reflect.TypeFor[Part]())
		}
	}
	return s
}

func (s *shape) addFields(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(append([]int(nil), prefix...), i)
		if f.Anonymous {
			s.addFields(f.Type, index)
			continue
		}
		tag, ok := f.Tag.Lookup("json")
		if !ok {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		x := field{name: name, index: index, omit: option == "omitzero"}
		if name == "-" {
			if f.Type == extraType {
				s.extra = len(s.fields)
				s.fields = append(s.fields, x)
			}
			continue
		}
		ft := f.Type
		if ft.Kind() == reflect.Pointer {
			ft, x.pointer = ft.Elem(), true
		}
		own := f.Tag.Get("agui")
		x.key = []byte(`,"` + name + `":`)
		x.optional = x.omit || own == "optional"
		x.defaulted = own == "defaulted"
		x.forgiven, x.echo = own == "forgiven", own == "echo"
		x.nullable = own == "nullable" || ft == anyType
		switch own {
		case "", "optional", "defaulted", "forgiven", "echo", "nullable":
			x.shape = shapeOf(ft)
		default:
			x.shape = newShape(ft, own)
		}
		s.fields = append(s.fields, x)
	}
}

func (s *shape) addMembers() {
	if spec, ok := unions[s.typ]; ok {
		s.tag, s.tagAt = spec.tag, s.field(spec.tag)
		s.union = spec.compile(s)
		for tag := range s.union {
			if tag != "*" {
				s.nominal = append(s.nominal, tag)
			}
		}
		slices.Sort(s.nominal)
		return
	}
	s.all = newMembers(len(s.fields))
	for i, f := range s.fields {
		if i == s.extra {
			continue
		}
		s.all.index[f.name] = i
		s.all.use[i] = required
		if f.optional {
			s.all.use[i] = optionalUse
		}
	}
}

// membersFor returns the list for the tag, or that of an unknown alternative.
func (s *shape) membersFor(tag string) (m *members, known bool) {
	if s.union == nil {
		return s.all, true
	}
	if m, known = s.union[tag]; known && tag != "*" {
		return m, true
	}
	return s.union["*"], false
}
