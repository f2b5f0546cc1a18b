package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/protocol/number"
)

// more, as the last element of an array in a pattern, allows more elements.
const more = "..."

// match says how a value differs from a pattern, nil if it does not. An object
// must have the pattern's members and may have more; an array must have the
// pattern's elements, and may have more where the pattern ends with "...";
// ["...", X, "..."] wants an element that matches X, wherever it is. "$name" is bound to what it stands against, or compared with
// what it is bound to. "$_" is anything that is there, "$none" a member that is
// not there, "~regexp" a string that matches; a group (?P<name>…) of it is bound to $name.
func (v vars) match(pattern, value any, at string) error {
	switch p := pattern.(type) {
	case map[string]any:
		object, ok := value.(map[string]any)
		if !ok {
			return differs(at, "an object", value)
		}
		for _, name := range slices.Sorted(maps.Keys(p)) {
			member, there := object[v.text(name)]
			switch {
			case p[name] == "$none" && there:
				return differs(at+"/"+name, "nothing", member)
			case p[name] == "$none":
			case !there:
				return fmt.Errorf("%s is missing", at+"/"+name)
			default:
				if err := v.match(p[name], member, at+"/"+name); err != nil {
					return err
				}
			}
		}
		return nil
	case []any:
		array, ok := value.([]any)
		if !ok {
			return differs(at, "an array", value)
		}
		if len(p) == 3 && p[0] == more && p[2] == more {
			return v.matchAny(p[1], array, at)
		}
		open := len(p) > 0 && p[len(p)-1] == more
		if open {
			p = p[:len(p)-1]
		}
		if len(array) < len(p) || len(array) > len(p) && !open {
			return fmt.Errorf("%s: %d elements expected, found %d in %s", place(at), len(p), len(array), brief(value))
		}
		for i := range p {
			if err := v.match(p[i], array[i], fmt.Sprintf("%s/%d", at, i)); err != nil {
				return err
			}
		}
		return nil
	case string:
		return v.matchString(p, value, at)
	default:
		if !equal(p, value) {
			return differs(at, brief(p), value)
		}
		return nil
	}
}

// matchAny wants one element that matches.
func (v vars) matchAny(p any, array []any, at string) error {
	for i := range array {
		trying := v.clone()
		if trying.match(p, array[i], fmt.Sprintf("%s/%d", at, i)) == nil {
			maps.Copy(v, trying)
			return nil
		}
	}
	return differs(at, "an element like "+brief(p), array)
}

func (v vars) matchString(p string, value any, at string) error {
	if p == "$_" {
		return nil
	}
	if variable.FindString(p) == p && p != "" {
		known, bound := v[p[1:]]
		if !bound {
			v[p[1:]] = value
			return nil
		}
		if !equal(known, value) {
			return differs(at, brief(known)+" ("+p+")", value)
		}
		return nil
	}
	text, isText := value.(string)
	if expr, ok := strings.CutPrefix(p, "~"); ok {
		re, err := regexp.Compile(v.text(expr))
		if err != nil {
			return fmt.Errorf("%s: the pattern: %w", place(at), err)
		}
		found := re.FindStringSubmatch(text)
		if !isText || found == nil {
			return differs(at, "a match of "+expr, value)
		}
		for i, name := range re.SubexpNames() {
			if name != "" {
				v[name] = found[i]
			}
		}
		return nil
	}
	if want := v.text(p); !isText || text != want {
		return differs(at, brief(want), value)
	}
	return nil
}

// equal compares decoded JSON; numbers by their exact value.
func equal(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		other, ok := b.(map[string]any)
		if !ok || len(a) != len(other) {
			return false
		}
		for name := range a {
			if _, there := other[name]; !there || !equal(a[name], other[name]) {
				return false
			}
		}
		return true
	case []any:
		other, ok := b.([]any)
		return ok && slices.EqualFunc(a, other, equal)
	case json.Number:
		other, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, okX := number.Exact(a.String())
		y, okY := number.Exact(other.String())
		return okX && okY && x == y
	default:
		return a == b
	}
}

func differs(at, want string, found any) error {
	return fmt.Errorf("%s: expected %s, found %s", place(at), want, brief(found))
}

func place(at string) string {
	if at == "" {
		return "the value"
	}
	return at
}

// brief is a value for a person.
func brief(value any) string {
	text := string(encode(value))
	if len(text) > 300 {
		text = strings.ToValidUTF8(text[:300], "") + "…"
	}
	return text
}
