package protocol

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/problem"
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

func jsonValue(t *testing.T, data []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return v
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	return reflect.DeepEqual(jsonValue(t, a), jsonValue(t, b))
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

func TestCorpusFixtures(t *testing.T) {
	for _, file := range fixtures(t, "*/*/*.json") {
		definition := filepath.Base(filepath.Dir(filepath.Dir(file)))
		verdict := filepath.Base(filepath.Dir(file))
		if strings.HasSuffix(file, ".expect.json") {
			continue
		}
		t.Run(definition+"/"+verdict+"/"+filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			err = Validate(definition, data)
			if verdict == "valid" && filepath.Base(file) != "raw-event-null.json" { // invalid since 1.0
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if problem.Of(err) == nil {
				t.Fatalf("accepted, or no such definition: %v", err)
			}
			expected, err2 := os.ReadFile(strings.TrimSuffix(file, ".json") + ".expect.json")
			if os.IsNotExist(err2) {
				return
			}
			var want struct{ InstanceLocation string }
			if err := json.Unmarshal(expected, &want); err != nil {
				t.Fatal(err)
			}
			for _, p := range problem.Of(err) {
				// Where a schema names the union, we name the member inside it.
				if p.Pointer == want.InstanceLocation || strings.HasPrefix(p.Pointer, want.InstanceLocation+"/") {
					return
				}
			}
			t.Errorf("expected a problem at %q, got %v", want.InstanceLocation, err)
		})
	}
}
