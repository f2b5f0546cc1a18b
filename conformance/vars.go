package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// vars are what a case's names stand for: what it made up itself, and what it
// has learnt from the server.
type vars map[string]any

var variable = regexp.MustCompile(`\$[A-Za-z][A-Za-z0-9_]*`)

// text replaces names in text that is not JSON.
func (v vars) text(s string) string {
	return variable.ReplaceAllStringFunc(s, func(name string) string {
		value, bound := v[name[1:]]
		if !bound {
			return name
		}
		if s, ok := value.(string); ok {
			return s
		}
		return string(encode(value))
	})
}

// json replaces names in JSON: a string that is a name and nothing else becomes
// its value, a name inside a longer string becomes text.
func (v vars) json(s string) (json.RawMessage, error) {
	value, err := decode([]byte(s))
	if err != nil {
		return nil, fmt.Errorf("%w in %s", err, s)
	}
	return encode(v.fill(value)), nil
}

func (v vars) fill(value any) any {
	switch value := value.(type) {
	case string:
		if whole := variable.FindString(value); whole != "" && whole == value {
			if known, bound := v[value[1:]]; bound {
				return known
			}
		}
		return v.text(value)
	case []any:
		for i := range value {
			value[i] = v.fill(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = v.fill(value[name])
		}
	}
	return value
}

func (v vars) clone() vars { return maps.Clone(v) }

// decode reads JSON of which numbers stay as they were written.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return value, nil
}

// encode writes what decode has read.
func encode(value any) json.RawMessage {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return json.RawMessage("null") // decode gives nothing that cannot be written
	}
	return json.RawMessage(strings.TrimSuffix(b.String(), "\n"))
}
