package server

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/bindingschema"
)

// The conversations in docs/binding are what the server does, line by line. Those that
// are not about ws.hello leave it out.
func TestBindingConversation(t *testing.T) {
	pages, err := filepath.Glob("../docs/binding/*.md")
	if err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, name := range pages {
		page := readFile(t, name)
		if blocks := strings.Split(page, "```conversation "); len(blocks) > 1 {
			played++
			t.Run(filepath.Base(name), func(t *testing.T) { converse(t, blocks[1:]) })
		}
	}
	if played < 5 {
		t.Errorf("only %d pages have conversations", played)
	}
}

func converse(t *testing.T, blocks []string) {
	ts, _ := endToEnd(t)
	sockets := map[string]*client{}
	bound := map[string]any{}
	for _, block := range blocks {
		name, text, _ := strings.Cut(block, "\n")
		text, _, _ = strings.Cut(text, "```")
		c := sockets[name]
		if c == nil {
			c = newTestClient(ts)
			sockets[name] = c
			if !strings.HasPrefix(text, `← {"type":"ws.hello"`) {
				c.read()
			}
		}
		for line := range strings.Lines(text) {
			direction, frame, _ := strings.Cut(strings.TrimSpace(line), " ")
			if direction == "→" {
				for placeholder, value := range bound {
					frame = strings.ReplaceAll(frame, placeholder, fmt.Sprint(value))
				}
				if err := bindingFrames().Check(bindingschema.Client, []byte(frame)); err != nil {
					t.Errorf("%s: %v", frame, err)
				}
				c.send(frame)
				continue
			}
			var want, got any
			if err := json.Unmarshal([]byte(frame), &want); err != nil {
				t.Fatalf("%s: %v", frame, err)
			}
			data := c.read()
			if err := json.Unmarshal(data, &got); err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			if !matches(want, got, bound) {
				t.Fatalf("got  %s\nwant %s", data, frame)
			}
		}
	}
}

// matches compares, a string that begins with $ standing for whatever it was
// first compared with.
func matches(want, got any, bound map[string]any) bool {
	switch w := want.(type) {
	case string:
		if !strings.HasPrefix(w, "$") {
			return want == got
		}
		if value, seen := bound[w]; seen {
			return reflect.DeepEqual(value, got)
		}
		bound[w] = got
		return true
	case []any:
		g, ok := got.([]any)
		if !ok || len(w) != len(g) {
			return false
		}
		for i := range w {
			if !matches(w[i], g[i], bound) {
				return false
			}
		}
		return true
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(w) != len(g) {
			return false
		}
		for name := range w {
			if _, there := g[name]; !there || !matches(w[name], g[name], bound) {
				return false
			}
		}
		return true
	default:
		return reflect.DeepEqual(want, got)
	}
}
