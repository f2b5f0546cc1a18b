package jsonpatch

import (
	"errors"

	"github.com/aguiws/aguiws/protocol/internal/wire"
	"github.com/aguiws/aguiws/protocol/number"
)

// node is a JSON value that is parsed as far as a patch reaches into it. The
// rest stays the bytes that it was.
type node struct {
	form     nodeForm
	raw      []byte // while nodeRaw, and for values that hold none
	order    []*member
	members  map[string]*member
	elements []*node
}

type nodeForm uint8

const (
	nodeRaw nodeForm = iota
	nodeLeaf
	nodeObject
	nodeArray
)

type member struct {
	name  string
	value *node
	dead  bool
}

// parse looks one level into the value.
func (n *node) parse() {
	if n.form != nodeRaw {
		return
	}
	r := wire.Reader{Data: n.raw}
	r.Space()
	switch r.Data[r.Pos] {
	case '{':
		n.form, n.members = nodeObject, map[string]*member{}
		r.Each(func(name string) { n.set(name, &node{raw: r.Skim()}) })
	case '[':
		n.form = nodeArray
		r.Elements(func(int) { n.elements = append(n.elements, &node{raw: r.Skim()}) })
	default:
		n.form, n.raw = nodeLeaf, r.Token()
	}
}

func (n *node) set(name string, value *node) {
	if m := n.members[name]; m != nil {
		m.value = value
		return
	}
	m := &member{name: name, value: value}
	n.order = append(n.order, m)
	n.members[name] = m
}

func (n *node) child(token string) (*node, error) {
	n.parse()
	switch n.form {
	case nodeObject:
		if m := n.members[token]; m != nil {
			return m.value, nil
		}
		return nil, errors.New("there is no such member")
	case nodeArray:
		i, err := arrayIndex(token, len(n.elements)-1)
		if err != nil {
			return nil, err
		}
		return n.elements[i], nil
	}
	return nil, errors.New("there is nothing inside")
}

// append writes the value.
func (n *node) append(dst []byte) []byte {
	switch n.form {
	case nodeObject:
		dst = append(dst, '{')
		first := true
		for _, m := range n.order {
			if m.dead {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = m.value.append(append(wire.AppendString(dst, m.name), ':'))
		}
		return append(dst, '}')
	case nodeArray:
		dst = append(dst, '[')
		for i, e := range n.elements {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.raw...)
}

// equal compares by value: members in any order, numbers by
// their exact value.
func (n *node) equal(o *node) bool {
	n.parse()
	o.parse()
	if n.form != o.form {
		return false
	}
	switch n.form {
	case nodeObject:
		if len(n.members) != len(o.members) {
			return false
		}
		for name, m := range n.members {
			other := o.members[name]
			if other == nil || !m.value.equal(other.value) {
				return false
			}
		}
		return true
	case nodeArray:
		if len(n.elements) != len(o.elements) {
			return false
		}
		for i, e := range n.elements {
			if !e.equal(o.elements[i]) {
				return false
			}
		}
		return true
	}
	return equalLeaves(n.raw, o.raw)
}

func equalLeaves(a, b []byte) bool {
	if string(a) == string(b) {
		return true
	}
	switch {
	case a[0] == '"' && b[0] == '"':
		return wire.Unquote(a) == wire.Unquote(b)
	case isNumber(a) && isNumber(b):
		return sameNumber(string(a), string(b))
	}
	return false
}

func isNumber(raw []byte) bool { return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' }

func sameNumber(a, b string) bool {
	x, okX := number.Exact(a)
	y, okY := number.Exact(b)
	return okX && okY && x == y
}
