package server

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/internal/bindingschema"
)

var bindingFrames = sync.OnceValue(func() *bindingschema.Frames {
	frames, err := bindingschema.Read("../docs/binding/frames.schema.json")
	if err != nil {
		panic(err)
	}
	return frames
})

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
		text := readFile(t, name)
		side := "client"
		for line := range strings.Lines(text) {
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
	for _, side := range []string{bindingschema.Client, bindingschema.Server} {
		for kind, members := range bindingFrames().Members(side) {
			frame := side + "." + kind
			words := slices.DeleteFunc(slices.Sorted(maps.Keys(listed[frame])), func(word string) bool {
				return slices.Contains([]string{"requested", "deleted", "draining"}, word) // values
			})
			members = slices.DeleteFunc(slices.Sorted(slices.Values(members)), func(member string) bool {
				return side == bindingschema.Client && member == "id" // any frame of a client may have it
			})
			if listed[frame] == nil || !slices.Equal(members, words) {
				t.Errorf("the pages list %s with %q, and the schema has %q", frame, words, members)
			}
			delete(listed, frame)
		}
	}
	for frame := range listed {
		t.Errorf("a page lists %s, which the schema lacks", frame)
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
		if err := bindingFrames().Check(bindingschema.Client, []byte(frame)); (err == nil) != right {
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
		if err := bindingFrames().Check(bindingschema.Server, []byte(frame)); (err == nil) != right {
			t.Errorf("%s: %v", frame, err)
		}
	}
}
