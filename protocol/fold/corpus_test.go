package fold

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// corpus is AG-UI's own conformance data, which is not part of this project.
const corpus = "../../../shared/facts/conformance"

func TestCorpusFold(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the conformance corpus is not at %s", corpus)
	}
	files, _ := filepath.Glob(filepath.Join(corpus, "streams", "*.json"))
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var stream struct {
				Stream []json.RawMessage
				Expect struct {
					Outcome  string
					Messages json.RawMessage
					State    json.RawMessage
				}
			}
			if err := json.Unmarshal(raw, &stream); err != nil {
				t.Fatal(err)
			}
			if stream.Expect.Outcome != "completed" {
				t.Skip("the client gives up on this stream")
			}
			f := New(nil, nil)
			for _, data := range stream.Stream {
				e, err := protocol.Decode(data)
				if err != nil {
					t.Fatal(err)
				}
				protocol.Strip(e) // the client does
				if err := f.Apply(e); err != nil {
					t.Log(err)
				}
			}
			if want := stream.Expect.State; want != nil && !reflect.DeepEqual(jsonValue(t, f.State()), jsonValue(t, want)) {
				t.Errorf("state %s, expected %s", f.State(), want)
			}
			if want := stream.Expect.Messages; want != nil {
				if got := messagesOf(t, f); !holds(jsonValue(t, []byte(got)), jsonValue(t, want)) {
					t.Errorf("messages %s, expected %s", got, want)
				}
			}
		})
	}
}

func jsonValue(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

// holds reports whether got has everything that want has.
func holds(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		m, ok := got.(map[string]any)
		for name, v := range want {
			ok = ok && holds(m[name], v)
		}
		return ok
	case []any:
		list, ok := got.([]any)
		ok = ok && len(list) == len(want)
		for i := range want {
			ok = ok && holds(list[i], want[i])
		}
		return ok
	}
	return got == want
}
