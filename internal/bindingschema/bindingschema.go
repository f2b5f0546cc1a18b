// Package bindingschema holds control frames to docs/binding/frames.schema.json, for
// tests of whoever sends and reads them.
package bindingschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The sides of a socket.
const (
	Client = "client"
	Server = "server"
)

// Frames are the control frames that a schema describes. They are held strictly: a
// member that is not listed is a fault of its sender, though a receiver ignores it.
type Frames struct {
	definitions map[string]definition // by side and type, as "client.ws.ping"
	schemas     map[string]*jsonschema.Schema
}

type definition struct {
	Properties map[string]struct {
		Enum []string `json:"enum"`
	} `json:"properties"`
}

// Read reads a schema. Its definitions of frames are named by the side that sends them
// and their type.
func Read(name string) (*Frames, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var document struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &Frames{map[string]definition{}, map[string]*jsonschema.Schema{}}
	for frame, schema := range document.Defs {
		if !strings.Contains(frame, ".ws.") {
			continue
		}
		written, err := json.Marshal(schema)
		if err != nil {
			return nil, err
		}
		var d definition
		if err := json.Unmarshal(written, &d); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", name, frame, err)
		}
		f.definitions[frame] = d
		schema["additionalProperties"] = false
	}
	strict, err := json.Marshal(map[string]any{"$defs": document.Defs})
	if err != nil {
		return nil, err
	}
	const resource = "frames.json"
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource(resource, bytes.NewReader(strict)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for frame := range f.definitions {
		if f.schemas[frame], err = compiler.Compile(resource + "#/$defs/" + frame); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return f, nil
}

// Members are the names of the members of one side's frames, by the frames' types. All
// have a type, which is left out.
func (f *Frames) Members(side string) map[string][]string {
	list := map[string][]string{}
	for frame, d := range f.definitions {
		kind, is := strings.CutPrefix(frame, side+".")
		if !is {
			continue
		}
		list[kind] = nil
		for name := range d.Properties {
			if name != "type" {
				list[kind] = append(list[kind], name)
			}
		}
	}
	return list
}

// Values are those that a member of a frame of the server may have.
func (f *Frames) Values(kind, member string) []string {
	return f.definitions[Server+"."+kind].Properties[member].Enum
}

// Check says what is wrong with a frame of one side. A frame that is no control frame
// of the binding passes.
func (f *Frames) Check(side string, frame []byte) error {
	var typed struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(frame, &typed); err != nil {
		return err
	}
	schema := f.schemas[side+"."+typed.Type]
	if schema == nil {
		return nil
	}
	var value any
	numbers := json.NewDecoder(bytes.NewReader(frame))
	numbers.UseNumber() // an agent's may be no float64
	if err := numbers.Decode(&value); err != nil {
		return err
	}
	return schema.Validate(value)
}
