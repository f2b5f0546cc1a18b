package responseschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp/syntax"
	"slices"
	"strings"
)

// The bounds of a schema. They are on what it says, and hold before the library
// compiles it, which takes time by the square of the subschemas.
const (
	maxSchemaBytes   = 64 << 10
	maxSchemaDepth   = 32
	maxSchemaParts   = 10_000
	maxSubschemas    = 2000
	maxReferences    = 500
	maxPatternBytes  = 512
	maxInstructions  = 10_000 // of all patterns, as they are carried out
	maxNumberBytes   = 256
	maxNumberPlaces  = 1000
	maxCount         = 1 << 31 // of minItems and the like
	supportedSchemas = "draft-04, draft-06, draft-07, 2019-09 and 2020-12"
)

var (
	references = []string{"$ref", "$dynamicRef", "$recursiveRef"}
	counts     = []string{"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "minContains", "maxContains"}
	drafts     = []string{
		"http://json-schema.org/draft-04/schema", "http://json-schema.org/draft-06/schema", "http://json-schema.org/draft-07/schema",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema",
	}
)

// bounds judges a schema as a document: what it takes to compile and to apply.
type bounds struct {
	odd                                         error // what cannot be checked, the first of it
	parts, subschemas, references, instructions int
	anchors                                     map[string]bool
}

// checkBounds refuses a schema that could cost much to compile or to apply. odd is why one
// that does not cannot be checked as it is; it names the keyword.
func checkBounds(schema []byte) (odd, err error) {
	if len(schema) > maxSchemaBytes {
		return nil, fmt.Errorf("%d bytes, at most %d", len(schema), maxSchemaBytes)
	}
	root, err := document(schema)
	if err != nil {
		return nil, err
	}
	b := bounds{anchors: map[string]bool{}}
	err = b.check(root, "", 0)
	return b.odd, err
}

func document(schema []byte) (root any, err error) {
	d := json.NewDecoder(bytes.NewReader(schema))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return root, nil
}

// finds notes what cannot be checked.
func (b *bounds) finds(err error) {
	if b.odd == nil {
		b.odd = err
	}
}

func (b *bounds) check(node any, keyword string, depth int) error {
	if b.parts++; b.parts > maxSchemaParts {
		return fmt.Errorf("more than %d parts", maxSchemaParts)
	}
	if depth > maxSchemaDepth {
		return fmt.Errorf("nested deeper than %d", maxSchemaDepth)
	}
	switch node := node.(type) {
	case json.Number:
		b.finds(checkNumber(keyword, string(node)))
	case string:
		return b.checkText(keyword, node)
	case []any:
		for _, child := range node {
			if err := b.check(child, "", depth+1); err != nil {
				return err
			}
		}
	case bool:
		return b.subschema()
	case map[string]any:
		if err := b.subschema(); err != nil {
			return err
		}
		if on, _ := node["$recursiveAnchor"].(bool); on && depth > 0 {
			b.finds(errors.New("$recursiveAnchor is supported at the root alone"))
		}
		for _, name := range slices.Sorted(maps.Keys(node)) {
			if keyword == "patternProperties" {
				b.finds(b.pattern("patternProperties", name))
			}
			if err := b.check(node[name], name, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *bounds) subschema() error {
	if b.subschemas++; b.subschemas > maxSubschemas {
		return fmt.Errorf("more than %d schemas in it", maxSubschemas)
	}
	return nil
}

func (b *bounds) checkText(keyword, text string) error {
	switch {
	case slices.Contains(references, keyword):
		if !strings.HasPrefix(text, "#") {
			b.finds(fmt.Errorf("%s refers to %q: only references inside the schema are followed", keyword, cut(text)))
		}
		if b.references++; b.references > maxReferences {
			return fmt.Errorf("%s: more than %d references", keyword, maxReferences)
		}
	case keyword == "pattern":
		b.finds(b.pattern(keyword, text))
	case keyword == "$id" || keyword == "id":
		b.finds(fmt.Errorf("%s is not supported", keyword))
	case keyword == "$schema":
		if !knownDraft(text) {
			b.finds(fmt.Errorf("$schema is %q: %s are supported", cut(text), supportedSchemas))
		}
	case keyword == "$anchor" || keyword == "$dynamicAnchor":
		if b.anchors[text] {
			b.finds(fmt.Errorf("%s %q is there twice", keyword, cut(text)))
		}
		b.anchors[text] = true
	}
	return nil
}

func knownDraft(text string) bool {
	return slices.Contains(drafts, strings.TrimSuffix(strings.Replace(text, "https://json-schema.org/draft-", "http://json-schema.org/draft-", 1), "#"))
}

// pattern adds up what patterns are when they are carried out: each byte of a text
// may meet each instruction.
func (b *bounds) pattern(keyword, pattern string) error {
	if len(pattern) > maxPatternBytes {
		return fmt.Errorf("%s of %d bytes, at most %d", keyword, len(pattern), maxPatternBytes)
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return fmt.Errorf("%s %q: %v", keyword, cut(pattern), err)
	}
	b.instructions += instructions(parsed)
	if b.instructions > maxInstructions {
		return fmt.Errorf("%s %q: repetitions come to more than %d steps for each byte of a text", keyword, cut(pattern), maxInstructions)
	}
	return nil
}

// instructions is about how many an expression compiles to, and not less.
func instructions(re *syntax.Regexp) int {
	n := 1
	for _, sub := range re.Sub {
		n += instructions(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		n += len(re.Rune)
	case syntax.OpCharClass:
		n += len(re.Rune) / 8
	case syntax.OpRepeat:
		n = 1 + (n+1)*max(re.Min, re.Max, 1)
	case syntax.OpCapture, syntax.OpAlternate:
		n += 1 + len(re.Sub)
	}
	return min(n, maxInstructions+1)
}

// checkNumber keeps the library from writing out what is short as a power of ten.
func checkNumber(keyword, text string) error {
	d, ok := parseDecimal(text)
	if !ok || len(text) > maxNumberBytes || d.exp > maxNumberPlaces || d.exp < -maxNumberPlaces {
		return fmt.Errorf("%s: the number %s has more than %d bytes or %d places", keyword, cut(text), maxNumberBytes, maxNumberPlaces)
	}
	if slices.Contains(counts, keyword) && d.cmp(decimal{digits: "2147483648"}) > 0 {
		return fmt.Errorf("%s is more than %d", keyword, maxCount)
	}
	return nil
}
