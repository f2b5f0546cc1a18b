package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Decode reads an object into a struct. A member that means nothing is refused,
// because it is a misspelt one, and so is one that comes twice at any depth. The
// error says where in the object what is wrong, and of Go nothing.
func Decode(data []byte, into any) error {
	if _, bad := Members(data); bad != nil {
		return bad
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a payload may have numbers that no float64 holds
	if err := fits(d, reflect.TypeOf(into), ""); err != nil {
		return err
	}
	if json.Unmarshal(data, into) != nil {
		return errors.New("a member is not what it should be")
	}
	return nil
}

// Check refuses what is no JSON value, is nested too deep, or has members that come twice.
func Check(data []byte) error {
	if !json.Valid(data) {
		return errors.New("expected one JSON value")
	}
	if _, bad := ValidMembers(slices.Concat([]byte(`{"":`), data, []byte{'}'})); bad != nil {
		return bad
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return fits(d, nil, "")
}

// fits reads a value that is valid JSON, nested no deeper than MaxDepth, and
// refuses one that cannot become a t, members that come twice, and those that t does
// not have, which encoding/json would take by any case. t nil: any value, and members
// of any name.
func fits(d *json.Decoder, t reflect.Type, at string) error {
	switch {
	case t == rawJSON:
		t = nil
	case t != nil && t.Kind() == reflect.Pointer:
		t = t.Elem()
	}
	token, err := d.Token()
	if err != nil {
		return errors.New("expected one JSON object")
	}
	if what := expected(token, t); what != "" {
		return fmt.Errorf("%.200s: expected %s", at, what)
	}
	switch token {
	case json.Delim('['):
		var of reflect.Type
		if t != nil {
			of = t.Elem()
		}
		for i := 0; d.More(); i++ {
			if err := fits(d, of, fmt.Sprint(at, "/", i)); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return errors.New("expected one JSON object")
			}
			name := token.(string)
			pointer := at + "/" + pointerEscape.Replace(name)
			if seen[name] {
				return fmt.Errorf("%.200s appears twice", pointer)
			}
			seen[name] = true
			var of reflect.Type
			if t != nil {
				if of = memberType(t, name); of == nil {
					return fmt.Errorf("%.200s means nothing here", pointer)
				}
			}
			if err := fits(d, of, pointer); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, _ = d.Token() // what ends it
	return nil
}

// expected says what is wanted where the token begins a value that cannot become a t;
// "" if it can. null is what is left out.
func expected(token json.Token, t reflect.Type) string {
	if t == nil || token == nil {
		return ""
	}
	text, isText := token.(string)
	if t == timestamp {
		if _, err := time.Parse(time.RFC3339, text); !isText || err != nil {
			return "a time such as 2030-01-31T00:00:00Z"
		}
		return ""
	}
	switch t.Kind() {
	case reflect.String:
		if !isText {
			return "a string"
		}
	case reflect.Bool:
		if _, ok := token.(bool); !ok {
			return "true or false"
		}
	case reflect.Int:
		n, ok := token.(json.Number)
		if _, err := strconv.Atoi(n.String()); !ok || err != nil {
			return "a whole number"
		}
	case reflect.Uint8:
		n, ok := token.(json.Number)
		if _, err := strconv.ParseUint(n.String(), 10, 8); !ok || err != nil {
			return "a whole number from 0 to 255"
		}
	case reflect.Slice:
		if token != json.Delim('[') {
			return "an array"
		}
	case reflect.Struct:
		if token != json.Delim('{') {
			return "an object"
		}
	default:
		panic("strictjson: no member can be a " + t.String())
	}
	return ""
}

var (
	rawJSON       = reflect.TypeFor[json.RawMessage]()
	timestamp     = reflect.TypeFor[time.Time]()
	pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")
)

// memberType is the type of the member of that very name; nil: there is none.
func memberType(t reflect.Type, name string) reflect.Type {
	for i := range t.NumField() {
		if tag, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); tag == name {
			return t.Field(i).Type
		}
	}
	return nil
}
