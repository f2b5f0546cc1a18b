// Package schema checks documents against a published AG-UI schema file. Package protocol
// itself checks what the product reads and writes, and needs no file; the tests of this
// package show that the two agree.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/aguiws/aguiws/protocol/problem"
	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Schema is a schema file. It may be used from many goroutines at once.
type Schema struct {
	names []string

	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

const location = "agui.schema.json"

// Load reads a schema file. It must be JSON Schema 2020-12 with its definitions
// under $defs and must not refer to other documents.
func Load(file string) (*Schema, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	var document struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(data, &document); err != nil {
		return nil, fmt.Errorf("schema: %s: %w", file, err)
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("a schema may not refer to %s", url)
	}
	if err := c.AddResource(location, bytes.NewReader(data)); err != nil {
		return nil, fmt.Errorf("schema: %s: %w", file, err)
	}
	s := &Schema{compiler: c, compiled: map[string]*jsonschema.Schema{}}
	for name := range document.Defs {
		s.names = append(s.names, name)
	}
	return s, nil
}

// Definitions returns the names of the definitions, in no order.
func (s *Schema) Definitions() []string { return s.names }

// Check validates a document against one definition. A fault of the document is a
// *problem.Error.
func (s *Schema) Check(definition string, data []byte) error {
	compiled, err := s.compile(definition)
	if err != nil {
		return err
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return &problem.Error{Problems: []problem.Problem{{Message: err.Error()}}}
	}
	err = compiled.Validate(v)
	failed, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return err
	}
	wrong := &problem.Error{}
	leaves(failed, wrong)
	return wrong
}

// leaves collects the innermost causes, which say what is wrong rather than
// which branch of the schema was not taken.
func leaves(e *jsonschema.ValidationError, into *problem.Error) {
	if len(e.Causes) == 0 {
		into.Problems = append(into.Problems, problem.Problem{Pointer: e.InstanceLocation, Message: e.Message})
	}
	for _, cause := range e.Causes {
		leaves(cause, into)
	}
}

func (s *Schema) compile(definition string) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.compiled[definition]; c != nil {
		return c, nil
	}
	c, err := s.compiler.Compile(location + "#/$defs/" + definition)
	if err != nil {
		return nil, fmt.Errorf("schema: definition %q: %w", definition, err)
	}
	s.compiled[definition] = c
	return c, nil
}
