package responseschema

import (
	"encoding/json"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

type kind uint8

// A number is found to be an integer when it is looked at.
const (
	null kind = 1 << iota
	boolean
	number
	text
	array
	object
	integer
)

var kindNames = map[string]kind{
	"null": null, "boolean": boolean, "number": number, "string": text, "array": array, "object": object, "integer": integer,
}

func (k kind) String() string {
	for name, is := range kindNames {
		if is == k {
			return name
		}
	}
	return ""
}

// value is a JSON value. The members of an object are sorted by name, and each name
// is there once.
type value struct {
	name  string // as a member
	text  string // of a string; of a number and a boolean as it is written
	items []value
	id    int32
	kind  kind
}

// maxPayloadDepth bounds the stack that reading and judging a payload takes.
const maxPayloadDepth = 512

// parser makes values of a text that is JSON.
type parser struct {
	*meter
	text  string
	pos   int
	plain bool // the text is UTF-8
	last  int32
	depth int
}

// parse reads a payload. It fails on what is not JSON.
func parse(m *meter, payload []byte) (v *value, ok bool) {
	m.spend(len(payload) / 8)
	if !json.Valid(payload) {
		return nil, false
	}
	p := parser{meter: m, text: string(payload), plain: utf8.Valid(payload)}
	v = new(value)
	p.value(v)
	return v, true
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

func (p *parser) value(v *value) {
	p.spend(stepValue)
	if p.depth++; p.depth > maxPayloadDepth {
		panic(stopped{ErrTooComplex})
	}
	defer func() { p.depth-- }()
	p.last++
	v.id = p.last
	p.space()
	switch p.text[p.pos] {
	case '{':
		v.kind = object
		p.list(v, '}')
		v.items = distinct(v.items)
	case '[':
		v.kind = array
		p.list(v, ']')
	case '"':
		v.kind, v.text = text, p.string()
	case 'n':
		v.kind = null
		p.pos += len("null")
	case 't', 'f':
		v.kind, v.text = boolean, p.word()
	default:
		v.kind, v.text = number, p.word()
	}
}

func (p *parser) list(v *value, end byte) {
	for p.pos++; ; p.pos++ {
		p.space()
		if p.text[p.pos] == end {
			break
		}
		if len(v.items) == cap(v.items) {
			v.items = slices.Grow(v.items, max(1, len(v.items))) // append alone grows by a quarter
		}
		v.items = append(v.items, value{})
		item := &v.items[len(v.items)-1]
		if end == '}' {
			item.name = p.string()
			p.space()
			p.pos++ // the colon
		}
		p.value(item)
		p.space()
		if p.text[p.pos] == end {
			break
		}
	}
	p.pos++
}

func (p *parser) word() string {
	start := p.pos
	for p.pos < len(p.text) && strings.IndexByte(",]} \t\r\n", p.text[p.pos]) < 0 {
		p.pos++
	}
	return p.text[start:p.pos]
}

func (p *parser) string() string {
	start := p.pos
	escaped := false
	for p.pos++; p.text[p.pos] != '"'; p.pos++ {
		if p.text[p.pos] == '\\' {
			escaped = true
			p.pos++
		}
	}
	p.pos++
	if !escaped && p.plain {
		return p.text[start+1 : p.pos-1]
	}
	var s string
	json.Unmarshal([]byte(p.text[start:p.pos]), &s)
	return s
}

// distinct sorts members, and keeps the last of those of one name.
func distinct(members []value) []value {
	sort.SliceStable(members, func(i, j int) bool { return members[i].name < members[j].name })
	kept := members[:0]
	for i, m := range members {
		if i+1 == len(members) || members[i+1].name != m.name {
			kept = append(kept, m)
		}
	}
	return kept
}

// member returns the index of a member, -1 without it.
func (v *value) member(name string) int {
	i := sort.Search(len(v.items), func(i int) bool { return v.items[i].name >= name })
	if i < len(v.items) && v.items[i].name == name {
		return i
	}
	return -1
}

// number reads a number. A number that is out of reach ends the work.
func (m *meter) number(v *value) decimal {
	m.spend(1 + len(v.text)/8)
	d, ok := parseDecimal(v.text)
	if !ok {
		panic(stopped{ErrTooComplex})
	}
	return d
}

func (m *meter) equal(a, b *value) bool {
	m.spend(1)
	if a.kind != b.kind || len(a.items) != len(b.items) || a.name != b.name {
		return false
	}
	switch a.kind {
	case number:
		return a.text == b.text || m.number(a) == m.number(b)
	case text, boolean:
		m.spend(min(len(a.text), len(b.text)) / 64)
		return a.text == b.text
	}
	for i := range a.items {
		m.spend(len(a.items[i].name) / 64)
		if !m.equal(&a.items[i], &b.items[i]) {
			return false
		}
	}
	return true
}

// key appends what is the same for equal values, and for no others.
func (m *meter) key(to []byte, v *value) []byte {
	m.spend(4 + len(v.text) + len(v.name))
	to = append(to, byte(v.kind))
	switch v.kind {
	case number:
		d := m.number(v)
		to = strconv.AppendBool(to, d.negative)
		to = strconv.AppendInt(to, d.exp, 10)
		to = append(append(append(to, ' '), d.digits...), ' ')
	case text, boolean:
		to = append(strconv.AppendInt(to, int64(len(v.text)), 10), ' ')
		to = append(to, v.text...)
	case array, object:
		to = append(strconv.AppendInt(to, int64(len(v.items)), 10), ' ')
		for i := range v.items {
			item := &v.items[i]
			to = append(append(strconv.AppendInt(to, int64(len(item.name)), 10), ' '), item.name...)
			to = m.key(to, item)
		}
	}
	return to
}
