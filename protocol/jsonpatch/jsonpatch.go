// Package jsonpatch applies JSON Patches (RFC 6902) as the clients of AG-UI do.
package jsonpatch

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol/internal/wire"
)

// maxCopied bounds what the copy operations of one patch may add: a short list
// of them could otherwise grow a document without end.
const maxCopied = 8 << 20

// Apply applies a JSON Patch (RFC 6902) to a document, all of it or
// nothing, without changing its arguments. An absent document is {}. Values that the patch
// does not touch keep their bytes. The reference client's library lets some things pass
// that the RFC does not: an index past the end, a member of a number, the removal of the
// whole document. Apply refuses these, so that what applies here applies there, with
// the same result.
func Apply(doc, ops json.RawMessage) (json.RawMessage, error) {
	if len(doc) == 0 {
		doc = json.RawMessage("{}")
	}
	if !wire.Valid(doc) {
		return nil, errors.New("protocol: patch: the document is not JSON")
	}
	if err := wire.CheckPatch(ops); err != nil {
		return nil, err
	}
	var list []operation
	if err := json.Unmarshal(ops, &list); err != nil {
		return nil, fmt.Errorf("protocol: patch: %w", err)
	}
	p := patcher{root: &node{raw: doc}}
	for i := range list {
		if err := p.apply(&list[i]); err != nil {
			return nil, fmt.Errorf("protocol: patch: operation %d: %w", i, err)
		}
	}
	return p.root.append(nil), nil
}

// Patches are applied here and not by a library, because what we hold after a
// delta must be what clients hold. evanphx/json-patch 5.9.11, which is in general use,
// differs from the library of the published clients. It takes "01" and "+1" for indices, a
// missing member for null in a test, and 1.0 for another number than 1. It has no scalars
// for documents. It moves and copies onto the whole document into a member without a name,
// and does not find such a member. A check beforehand would have to walk the document as
// the patch does, operation by operation, which is what there is to applying one.
type operation struct {
	op, path, from string
	value          json.RawMessage
}

// UnmarshalJSON reads the members by their exact names.
func (o *operation) UnmarshalJSON(data []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return err
	}
	o.value = members["value"]
	for name, into := range map[string]*string{"op": &o.op, "path": &o.path, "from": &o.from} {
		if raw, ok := members[name]; ok {
			if err := json.Unmarshal(raw, into); err != nil && (name != "from" || wire.PatchMembers[o.op] == "from") {
				return err
			}
		}
	}
	return nil
}

type patcher struct {
	root   *node
	copied int
}

func (p *patcher) apply(o *operation) error {
	switch o.op {
	case "add":
		return p.add(o.path, &node{raw: o.value})
	case "replace":
		target, err := p.at(o.path)
		if err != nil {
			return err
		}
		*target = node{raw: o.value}
		return nil
	case "remove":
		_, err := p.remove(o.path)
		return err
	case "test":
		target, err := p.at(o.path)
		if err != nil {
			return err
		}
		if !target.equal(&node{raw: o.value}) {
			return fmt.Errorf("the value at %q is another one", o.path)
		}
		return nil
	case "copy":
		source, err := p.at(o.from)
		if err != nil {
			return err
		}
		bytes := source.append(nil)
		if p.copied += len(bytes); p.copied > maxCopied {
			return fmt.Errorf("copies more than %d bytes", maxCopied)
		}
		return p.add(o.path, &node{raw: bytes})
	case "move":
		return p.move(o.from, o.path)
	}
	return fmt.Errorf("there is no operation %q", o.op)
}

func (p *patcher) move(from, to string) error {
	switch {
	case strings.HasPrefix(to, from+"/"):
		return fmt.Errorf("%q cannot move into itself", from)
	case from == to:
		_, err := p.at(from)
		return err
	}
	if to == "" {
		source, err := p.at(from)
		if err != nil {
			return err
		}
		p.root = source
		return nil
	}
	moved, err := p.remove(from)
	if err != nil {
		return err
	}
	return p.add(to, moved)
}

// at finds the value at a pointer.
func (p *patcher) at(pointer string) (*node, error) {
	n := p.root
	for _, token := range tokens(pointer) {
		child, err := n.child(token)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", pointer, err)
		}
		n = child
	}
	return n, nil
}

// parent finds what holds the value at a pointer, and its name there.
func (p *patcher) parent(pointer string) (*node, string, error) {
	i := strings.LastIndexByte(pointer, '/')
	n, err := p.at(pointer[:i])
	if err != nil {
		return nil, "", err
	}
	n.parse()
	return n, pointerUnescape.Replace(pointer[i+1:]), nil
}

func (p *patcher) add(pointer string, value *node) error {
	if pointer == "" {
		p.root = value
		return nil
	}
	n, name, err := p.parent(pointer)
	if err != nil {
		return err
	}
	switch n.form {
	case nodeObject:
		n.set(name, value)
		return nil
	case nodeArray:
		i := len(n.elements)
		if name != "-" {
			if i, err = arrayIndex(name, len(n.elements)); err != nil {
				return fmt.Errorf("%q: %w", pointer, err)
			}
		}
		n.elements = slices.Insert(n.elements, i, value)
		return nil
	}
	return fmt.Errorf("%q: the place to add to does not exist", pointer)
}

func (p *patcher) remove(pointer string) (*node, error) {
	if pointer == "" {
		return nil, errors.New("the whole document cannot be removed")
	}
	n, name, err := p.parent(pointer)
	if err != nil {
		return nil, err
	}
	child, err := n.child(name)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", pointer, err)
	}
	if n.form == nodeObject {
		n.members[name].dead = true
		delete(n.members, name)
		return child, nil
	}
	i, _ := arrayIndex(name, len(n.elements))
	n.elements = slices.Delete(n.elements, i, i+1)
	return child, nil
}

var pointerUnescape = strings.NewReplacer("~1", "/", "~0", "~")

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i := range list {
		list[i] = pointerUnescape.Replace(list[i])
	}
	return list
}

// arrayIndex reads an index that is at most limit.
func arrayIndex(token string, limit int) (int, error) {
	if token == "" || len(token) > 10 || strings.Trim(token, "0123456789") != "" || token[0] == '0' && token != "0" {
		return 0, fmt.Errorf("%q is no index", token)
	}
	i := 0
	for _, digit := range token {
		i = 10*i + int(digit-'0')
	}
	if i > limit {
		return 0, fmt.Errorf("the index %d is past the end", i)
	}
	return i, nil
}
