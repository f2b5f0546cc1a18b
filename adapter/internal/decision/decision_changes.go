package decision

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
)

const (
	maxChanges       = 20
	maxChangePointer = 200
	maxChangeValue   = 200
	maxExact         = 500 // values of two texts that are compared by what they are
)

// change is one place in which edited arguments differ from those that were shown.
type change struct {
	Pointer string          `json:"pointer"`          // RFC 6901; of a place around it, when it has more than 200 bytes
	Before  json.RawMessage `json:"before,omitempty"` // nil: there was nothing
	After   json.RawMessage `json:"after,omitempty"`  // nil: there is nothing
	Cut     []string        `json:"cut,omitempty"`    // before, after: of those that have more than 200 bytes, a string has the first part
}

// value is one as it is compared, and as it is told.
type value struct {
	there       bool
	real, shown any
}

// changes tells how arguments were edited: by the values as they are, which are told as they
// are shown. whole is false when there are more than are told.
func changes(before, after, shownBefore, shownAfter []byte) (list []change, whole bool) {
	if len(before) > maxRecorded || len(after) > maxRecorded {
		return nil, equalJSON(before, after)
	}
	d := differ{}
	d.compare("", valueOf(before, shownBefore), valueOf(after, shownAfter))
	return d.list, !d.more
}

func valueOf(real, shown []byte) value {
	v := value{there: true, real: tree(real)}
	if v.shown = v.real; !bytes.Equal(real, shown) {
		v.shown = tree(shown)
	}
	return v
}

// tree decodes a value with its numbers as they are; what is no JSON is a text.
func tree(text []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if !json.Valid(text) || d.Decode(&v) != nil {
		return string(text)
	}
	return v
}

func equalJSON(a, b []byte) bool {
	x, err := canonical.JSON(a)
	if err != nil {
		return bytes.Equal(a, b)
	}
	y, err := canonical.JSON(b)
	return err == nil && bytes.Equal(x, y)
}

type differ struct {
	list  []change
	more  bool // there are, or may be, others
	exact int  // values whose texts differ
}

func (d *differ) compare(at string, before, after value) {
	if d.more {
		return
	}
	switch x := before.real.(type) {
	case map[string]any:
		if y, both := after.real.(map[string]any); both && before.opens() && after.opens() && d.objects(at, before, after, x, y) {
			return
		}
	case []any:
		if y, both := after.real.([]any); both && before.opens() && after.opens() && d.arrays(at, before, after, x, y) {
			return
		}
	}
	if before.there == after.there && d.same(before.real, after.real) {
		return
	}
	if d.more = len(d.list) == maxChanges; d.more {
		return
	}
	c := change{Pointer: at}
	c.Before = c.told("before", before)
	c.After = c.told("after", after)
	d.list = append(d.list, c)
}

// opens reports whether what is in the value is shown as well.
func (v value) opens() bool {
	switch v.shown.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// in is a member or an element, by how to get it out of a tree.
func (v value) in(get func(any) (any, bool)) value {
	real, there := get(v.real)
	shown, _ := get(v.shown)
	return value{there, real, shown}
}

// objects compares members. False: a pointer to one would be too long.
func (d *differ) objects(at string, before, after value, x, y map[string]any) bool {
	names := map[string]bool{}
	for _, m := range []map[string]any{x, y} {
		for name := range m {
			if names[name] = true; len(at)+len(escaped(name))+1 > maxChangePointer {
				return false
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		get := func(v any) (any, bool) {
			m, _ := v.(map[string]any)
			inner, there := m[name]
			return inner, there
		}
		d.compare(at+"/"+escaped(name), before.in(get), after.in(get))
	}
	return true
}

func (d *differ) arrays(at string, before, after value, x, y []any) bool {
	longest := max(len(x), len(y))
	if len(at)+len(strconv.Itoa(longest))+1 > maxChangePointer {
		return false
	}
	for i := range longest {
		get := func(v any) (any, bool) {
			list, _ := v.([]any)
			if i >= len(list) {
				return nil, false
			}
			return list[i], true
		}
		d.compare(at+"/"+strconv.Itoa(i), before.in(get), after.in(get))
	}
	return true
}

func escaped(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// same compares numbers by their exact value. It compares so many numbers at most; when
// there are more, the list of changes is not whole.
func (d *differ) same(a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		return false
	}
	y, err := json.Marshal(b)
	if err != nil || bytes.Equal(x, y) {
		return err == nil
	}
	if d.exact++; d.exact > maxExact {
		d.more = true
		return true
	}
	return equalJSON(x, y)
}

// told is a value of the change, as it is shown.
func (c *change) told(which string, v value) json.RawMessage {
	if !v.there {
		return nil
	}
	text, err := json.Marshal(v.shown)
	if err == nil && len(text) <= maxChangeValue {
		return text
	}
	c.Cut = append(c.Cut, which)
	if s, is := v.shown.(string); is {
		text = []byte(s)
	}
	text, _ = json.Marshal(CutText(string(text), maxChangeValue))
	return text
}
