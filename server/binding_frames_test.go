package server

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// frameSchemas are the control frames of docs/binding/frames.schema.json, by who sends
// them and by their type. They are held strictly here: a member that is not listed is a
// fault of ours, though a receiver ignores it.
type frameSchemas struct {
	definitions map[string]map[string]any
	schemas     map[string]*jsonschema.Schema
}

var bindingFrames = sync.OnceValue(func() *frameSchemas {
	const name = "frames.schema.json"
	text, err := os.ReadFile("../docs/binding/" + name)
	if err != nil {
		panic(err)
	}
	var document struct {
		Defs map[string]map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		panic(err)
	}
	for name, definition := range document.Defs {
		if strings.Contains(name, ".ws.") {
			definition["additionalProperties"] = false
		}
	}
	strict, err := json.Marshal(map[string]any{"$defs": document.Defs})
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.Draft = jsonschema.Draft2020
	if err := compiler.AddResource(name, strings.NewReader(string(strict))); err != nil {
		panic(err)
	}
	all := &frameSchemas{document.Defs, map[string]*jsonschema.Schema{}}
	for frame := range document.Defs {
		if strings.Contains(frame, ".ws.") {
			all.schemas[frame] = compiler.MustCompile(name + "#/$defs/" + frame)
		}
	}
	return all
})

// of are the definitions of one side's frames by their types.
func (f *frameSchemas) of(side string) map[string]map[string]any {
	list := map[string]map[string]any{}
	for name := range f.schemas {
		if kind, is := strings.CutPrefix(name, side+"."); is {
			list[kind] = f.definitions[name]
		}
	}
	return list
}

// values are those that a member of a server's frame may have.
func (f *frameSchemas) values(kind, member string) (list []string) {
	properties := f.definitions["server."+kind]["properties"].(map[string]any)
	for _, value := range properties[member].(map[string]any)["enum"].([]any) {
		list = append(list, value.(string))
	}
	return list
}

// check says what is wrong with a control frame of one side. Everything else passes,
// and so does a frame of a type that the client made up.
func (f *frameSchemas) check(side string, frame []byte) error {
	var members any
	if err := json.Unmarshal(frame, &members); err != nil {
		return err
	}
	object, _ := members.(map[string]any)
	kind, _ := object["type"].(string)
	if schema := f.schemas[side+"."+kind]; schema != nil {
		return schema.Validate(members)
	}
	return nil
}

func (f *frameSchemas) hold(t *testing.T, side string, frame []byte) {
	t.Helper()
	if err := f.check(side, frame); err != nil {
		t.Errorf("%s: %v", frame, err)
	}
}

// The pages name each frame of the schema with its members, and no other.
func TestBindingFramesAreListed(t *testing.T) {
	pages, err := filepath.Glob("../docs/binding/*.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]map[string]bool{}
	row := regexp.MustCompile("^\\| `(ws\\.[a-z]+)` \\|([^|]*)\\|")
	member := regexp.MustCompile("`([A-Za-z]+)\\??`")
	for _, name := range pages {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		side := "client"
		for line := range strings.Lines(string(text)) {
			switch {
			case strings.HasPrefix(line, "## The server's frames"), strings.HasPrefix(line, "| from the server |"):
				side = "server"
			case strings.HasPrefix(line, "## The client's frames"), strings.HasPrefix(line, "| from the client |"):
				side = "client"
			}
			if m := row.FindStringSubmatch(line); m != nil {
				frame := side + "." + m[1]
				if listed[frame] == nil {
					listed[frame] = map[string]bool{}
				}
				for _, word := range member.FindAllStringSubmatch(m[2], -1) {
					listed[frame][word[1]] = true
				}
			}
		}
	}
	for frame := range bindingFrames().schemas {
		properties := maps.Clone(bindingFrames().definitions[frame]["properties"].(map[string]any))
		delete(properties, "type")
		if strings.HasPrefix(frame, "client.") {
			delete(properties, "id") // any frame of a client may have it
		}
		words := maps.Clone(listed[frame])
		if listed[frame] == nil {
			t.Errorf("no page lists %s", frame)
			continue
		}
		for _, value := range []string{"requested", "deleted", "draining"} {
			delete(words, value)
		}
		if want, got := slices.Sorted(maps.Keys(properties)), slices.Sorted(maps.Keys(words)); !slices.Equal(want, got) {
			t.Errorf("the pages list %s with %q, and the schema has %q", frame, got, want)
		}
	}
	for frame := range listed {
		if bindingFrames().schemas[frame] == nil {
			t.Errorf("a page lists %s, which the schema lacks", frame)
		}
	}
}

// The schema takes what its pages allow, and no more.
func TestBindingFramesSchema(t *testing.T) {
	for frame, right := range map[string]bool{
		`{"type":"ws.attach","threadId":"t"}`:                                             true,
		`{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":0},"window":1000}`: true,
		`{"type":"ws.attach","threadId":"t","after":{"epoch":"e"}}`:                       false,
		`{"type":"ws.attach","threadId":"t","window":0}`:                                  false,
		`{"type":"ws.attach","threadId":".."}`:                                            false,
		`{"type":"ws.attach"}`:                                                            false,
		`{"type":"ws.cancel","threadId":"t"}`:                                             false,
		`{"type":"ws.ping","id":7}`:                                                       false,
		`{"type":"ws.messages","threadId":"t","limit":1001}`:                              false,
	} {
		if err := bindingFrames().check("client", []byte(frame)); (err == nil) != right {
			t.Errorf("%s: %v", frame, err)
		}
	}
	for frame, right := range map[string]bool{
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"started"}`:                                    true,
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"q"}`:                            true,
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat"}`:                                     false,
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"started","of":"q"}`:                           false,
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"gone"}`:                                       false,
		`{"type":"ws.stream","threadId":"t","epoch":"","seq":0,"uncounted":1}`:                                    true,
		`{"type":"ws.stream","threadId":"t","epoch":"e","seq":0,"uncounted":0}`:                                   false,
		`{"type":"ws.pong","positions":{"t":1.5}}`:                                                                false,
		`{"type":"ws.store","available":true,"since":1}`:                                                          false,
		`{"type":"ws.goaway","reason":"draining","retryAfterMs":0}`:                                               true,
		`{"type":"ws.error","code":"No Code","message":""}`:                                                       false,
		`{"type":"ws.detached","threadId":"t","reason":"requested"}`:                                              true,
		`{"type":"ws.messages","threadId":"t","messages":[],"older":0}`:                                           false,
		`{"type":"ws.cancelled","threadId":"t","runId":"r","stopped":"yes"}`:                                      false,
		`{"type":"ws.live","threadId":"t","seq":-1}`:                                                              false,
		`{"type":"ws.attached","threadId":"t","epoch":"e","seq":0,"recovered":true}`:                              false,
		`{"type":"ws.attached","threadId":"t","epoch":"e","seq":0,"recovered":false,"interrupts":[],"queued":[]}`: false,
	} {
		if err := bindingFrames().check("server", []byte(frame)); (err == nil) != right {
			t.Errorf("%s: %v", frame, err)
		}
	}
}
