package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Decode reads an object into a struct. A member that means nothing is refused,
// because it is a misspelt one, and so is one that comes twice at any depth.
func Decode(data []byte, into any) error {
	if _, bad := Members(data); bad != nil {
		return bad
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a payload may have numbers that no float64 holds
	if err := exactNames(d, reflect.TypeOf(into), ""); err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

// exactNames reads a value that is valid JSON, nested no deeper than MaxDepth,
// and refuses members that come twice, and those that t does not have, which
// encoding/json would take by any case. t nil: members of any name.
func exactNames(d *json.Decoder, t reflect.Type, at string) error {
	switch {
	case t == rawJSON:
		t = nil
	case t != nil && t.Kind() == reflect.Pointer:
		t = t.Elem()
	}
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		var of reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			of = t.Elem()
		}
		for i := 0; d.More(); i++ {
			if err := exactNames(d, of, fmt.Sprint(at, "/", i)); err != nil {
				return err
			}
		}
	case json.Delim('{'):
		seen := map[string]bool{}
		for d.More() {
			token, err := d.Token()
			if err != nil {
				return err
			}
			name := token.(string)
			pointer := at + "/" + pointerEscape.Replace(name)
			if seen[name] {
				return fmt.Errorf("%.200s appears twice", pointer)
			}
			seen[name] = true
			var of reflect.Type
			if t != nil && t.Kind() == reflect.Struct {
				if of = memberType(t, name); of == nil {
					return fmt.Errorf("%.200s means nothing here", pointer)
				}
			}
			if err := exactNames(d, of, pointer); err != nil {
				return err
			}
		}
	default:
		return nil
	}
	_, err = d.Token() // what ends it
	return err
}

var (
	rawJSON       = reflect.TypeFor[json.RawMessage]()
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
