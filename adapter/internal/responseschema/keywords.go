package responseschema

import (
	"encoding/json"
	"slices"
	"strings"
)

// simple are the keywords that hold no schemas, with what takes their value: as it is, or as
// it may be kept. The object is the schema that they are in.
var simple = map[string]func(value any, in map[string]any) (any, bool){
	"type": typeNames, "enum": enumeration, "const": data, "format": words,
	"multipleOf": positive, "minimum": finite, "maximum": finite, "exclusiveMinimum": exclusive("minimum"), "exclusiveMaximum": exclusive("maximum"),
	"minItems": count, "maxItems": count, "minLength": count, "maxLength": count, "minProperties": count, "maxProperties": count, "minContains": count, "maxContains": count,
	"uniqueItems": truth, "required": required, "dependentRequired": dependentRequired, "contentEncoding": words, "contentMediaType": words,
}

func words(value any, _ map[string]any) (any, bool) {
	_, is := value.(string)
	return value, is
}

func truth(value any, _ map[string]any) (any, bool) {
	_, is := value.(bool)
	return value, is
}

func typeNames(value any, _ map[string]any) (any, bool) {
	names, list := value.([]any)
	if !list {
		names = []any{value}
	}
	seen := map[string]bool{}
	for _, name := range names {
		text, _ := name.(string)
		if kindNames[text] == 0 || seen[text] {
			return nil, false
		}
		seen[text] = true
	}
	return value, len(names) > 0
}

// data is what a schema compares with.
func data(value any, _ map[string]any) (any, bool) { return value, writable(value) }

// writable reports whether the numbers of a value can be written out.
func writable(value any) bool {
	switch value := value.(type) {
	case json.Number:
		return checkNumber("", string(value)) == nil
	case []any:
		return !slices.ContainsFunc(value, func(item any) bool { return !writable(item) })
	case map[string]any:
		for _, member := range value {
			if !writable(member) {
				return false
			}
		}
	}
	return true
}

// enumeration is a list without what is there twice, which older drafts refuse.
func enumeration(value any, _ map[string]any) (any, bool) {
	list, _ := value.([]any)
	seen := map[string]bool{}
	var kept []any
	for _, item := range list {
		key, err := json.Marshal(item)
		if err != nil || !writable(item) {
			return nil, false
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			kept = append(kept, item)
		}
	}
	return kept, len(kept) > 0
}

// checkedFormats are the formats that an answer must have, by any draft. Any other format is
// an annotation.
var checkedFormats = map[string]bool{
	"date": true, "date-time": true, "time": true, "email": true, "uri": true, "uuid": true, "ipv4": true, "ipv6": true, "hostname": true,
}

func isText(value any) bool {
	_, is := value.(string)
	return is
}

func finite(value any, _ map[string]any) (any, bool) {
	number, is := value.(json.Number)
	return value, is && checkNumber("", string(number)) == nil
}

func positive(value any, in map[string]any) (any, bool) {
	if _, ok := finite(value, in); !ok {
		return nil, false
	}
	d, ok := parseDecimal(string(value.(json.Number)))
	return value, ok && d.cmp(decimal{}) > 0
}

// exclusive is a number, or in draft-04 whether the bound beside it is one.
func exclusive(bound string) func(any, map[string]any) (any, bool) {
	return func(value any, in map[string]any) (any, bool) {
		if _, is := value.(bool); is {
			_, ok := finite(in[bound], nil)
			return value, ok
		}
		return finite(value, in)
	}
}

func count(value any, _ map[string]any) (any, bool) {
	number, is := value.(json.Number)
	if !is || checkNumber(counts[0], string(number)) != nil || strings.HasPrefix(string(number), "-") {
		return nil, false
	}
	d, ok := parseDecimal(string(number))
	return value, ok && d.isInteger()
}

func textList(value any, _ map[string]any) (any, bool) {
	list, is := value.([]any)
	seen := map[any]bool{}
	for _, item := range list {
		if !isText(item) || seen[item] {
			return nil, false
		}
		seen[item] = true
	}
	return value, is
}

// required is a list of names, or in draft-03 a boolean, which says nothing here.
func required(value any, in map[string]any) (any, bool) {
	kept, ok := textList(value, in)
	list, _ := kept.([]any)
	return kept, ok && len(list) > 0
}

func dependentRequired(value any, in map[string]any) (any, bool) {
	members, is := value.(map[string]any)
	for _, names := range members {
		if _, ok := textList(names, in); !ok {
			return nil, false
		}
	}
	return value, is
}
