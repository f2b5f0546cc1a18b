// Package responseschema checks answers, and the arguments of tools, against JSON Schemas
// that agents and models came up with, within bounds.
package responseschema

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/aguiws/aguiws/protocol"
)

// The bounds of a response schema. Schemas come from agents, and often from
// models: without bounds a kilobyte of references costs gigabytes.
const (
	maxSchemaBytes   = 64 << 10
	maxSchemaDepth   = 32
	maxSchemaWeight  = 10_000
	maxSchemaPattern = 512
	maxCompiled      = 1000
)

// Set compiles response schemas once each. It is safe for concurrent use.
type Set struct {
	mu       sync.Mutex
	compiled map[[sha256.Size]byte]*jsonschema.Schema
}

// Check answers with what is wrong with a payload; nil is a valid one. An
// error says that the schema itself cannot be used.
func (s *Set) Check(schema, payload []byte) (problems []protocol.Problem, err error) {
	defer func() {
		if p := recover(); p != nil { // the library panics on numbers of huge exponents
			problems, err = []protocol.Problem{{Message: "cannot be checked against the response schema"}}, nil
		}
	}()
	compiled, err := s.Compile(schema)
	if err != nil {
		return nil, err
	}
	if len(payload) == 0 {
		payload = []byte("null")
	}
	value, err := decodeNumbers(payload)
	if err != nil {
		return []protocol.Problem{{Message: "is not JSON"}}, nil
	}
	var invalid *jsonschema.ValidationError
	if err := compiled.Validate(value); errors.As(err, &invalid) {
		return leaves(invalid, nil), nil
	} else if err != nil {
		return nil, fmt.Errorf("adapter: response schema: %w", err)
	}
	return nil, nil
}

// leaves collects the innermost causes: they name the members.
func leaves(e *jsonschema.ValidationError, into []protocol.Problem) []protocol.Problem {
	if len(e.Causes) == 0 {
		return append(into, protocol.Problem{Pointer: e.InstanceLocation, Message: e.Message})
	}
	for _, cause := range e.Causes {
		into = leaves(cause, into)
	}
	return into
}

func (s *Set) Compile(schema []byte) (compiled *jsonschema.Schema, err error) {
	key := sha256.Sum256(schema)
	s.mu.Lock()
	compiled = s.compiled[key]
	s.mu.Unlock()
	if compiled != nil {
		return compiled, nil
	}
	defer func() {
		if p := recover(); p != nil {
			compiled, err = nil, fmt.Errorf("adapter: response schema: %v", p)
		}
	}()
	if err := boundSchema(schema); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("refers to %q: only references inside the schema are followed", url)
	}
	const here = "urn:aguiws:response-schema"
	if err := c.AddResource(here, bytes.NewReader(schema)); err != nil {
		return nil, fmt.Errorf("adapter: response schema: %w", err)
	}
	compiled, err = c.Compile(here)
	if err != nil {
		return nil, fmt.Errorf("adapter: response schema: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled == nil || len(s.compiled) >= maxCompiled {
		s.compiled = map[[sha256.Size]byte]*jsonschema.Schema{}
	}
	s.compiled[key] = compiled
	return compiled, nil
}

// boundSchema refuses a schema that could cost much to compile or to apply.
func boundSchema(schema []byte) error {
	if len(schema) > maxSchemaBytes {
		return fmt.Errorf("adapter: response schema: %d bytes, at most %d", len(schema), maxSchemaBytes)
	}
	root, err := decodeNumbers(schema)
	if err != nil {
		return fmt.Errorf("adapter: response schema: %w", err)
	}
	w := weigher{root: root, memo: map[string]int{}}
	weight, err := w.weigh(root, 0)
	if err != nil {
		return fmt.Errorf("adapter: response schema: %w", err)
	}
	if weight > maxSchemaWeight {
		return fmt.Errorf("adapter: response schema: more than %d parts when its references are followed", maxSchemaWeight)
	}
	return nil
}

// weigher counts the parts of a schema with its references expanded.
type weigher struct {
	root any
	memo map[string]int // by reference; 0 while it is being weighed
}

func (w *weigher) weigh(node any, depth int) (int, error) {
	if depth > maxSchemaDepth {
		return 0, fmt.Errorf("nested deeper than %d", maxSchemaDepth)
	}
	weight := 1
	add := func(child any) error {
		n, err := w.weigh(child, depth+1)
		weight = min(weight+n, maxSchemaWeight+1)
		return err
	}
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			if err := add(child); err != nil {
				return 0, err
			}
		}
	case map[string]any:
		for name, child := range node {
			text, isText := child.(string)
			switch {
			case isText && (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef"):
				n, err := w.reference(text, depth)
				if err != nil {
					return 0, err
				}
				weight = min(weight+n, maxSchemaWeight+1)
			case isText && name == "pattern" && len(text) > maxSchemaPattern:
				return 0, fmt.Errorf("a pattern of %d bytes, at most %d", len(text), maxSchemaPattern)
			case isText && (name == "$id" || name == "id"):
				return 0, errors.New("$id is not supported")
			default:
				if err := add(child); err != nil {
					return 0, err
				}
			}
		}
	}
	return weight, nil
}

func (w *weigher) reference(ref string, depth int) (int, error) {
	if !strings.HasPrefix(ref, "#") {
		return 0, fmt.Errorf("refers to %q: only references inside the schema are followed", ref)
	}
	if n, seen := w.memo[ref]; seen {
		return max(n, 1), nil // a cycle is bounded by the depth of the payload
	}
	w.memo[ref] = 0
	target := w.root
	for _, part := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
		object, _ := target.(map[string]any)
		target = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	n, err := w.weigh(target, depth+1)
	w.memo[ref] = n
	return n, err
}

// decodeNumbers decodes one JSON value and keeps its numbers as written.
func decodeNumbers(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one value")
	}
	return value, nil
}
