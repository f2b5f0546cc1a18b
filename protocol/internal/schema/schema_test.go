package schema

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol"
)

// The published schema and the conformance corpus are not part of this project.
const (
	published = "../../../../shared/facts/agui-1.1.schema.json"
	corpus    = "../../../../shared/facts/conformance/fixtures"
)

func load(t testing.TB) *Schema {
	t.Helper()
	if _, err := os.Stat(published); err != nil {
		t.Skipf("the published schema is not at %s", published)
	}
	s, err := Load(published)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDefinitionsAreTheSchemas(t *testing.T) {
	ours, theirs := protocol.Definitions(), slices.Sorted(slices.Values(load(t).Definitions()))
	if !slices.Equal(ours, theirs) {
		t.Errorf("ours\n%v\ntheirs\n%v", ours, theirs)
	}
}

// TestVerdictsAgree changes every valid document in every place, and compares
// what the schema says with what protocol.Validate says.
func TestVerdictsAgree(t *testing.T) {
	s := load(t)
	agree := func(t *testing.T, definition string, data []byte) {
		t.Helper()
		theirs, ours := s.Check(definition, data), protocol.Validate(definition, data)
		if (theirs == nil) != (ours == nil) {
			t.Errorf("%s %s\nschema: %v\nours: %v", definition, data, theirs, ours)
		}
	}
	for definition, documents := range seeds(t) {
		t.Run(definition, func(t *testing.T) {
			for _, data := range documents {
				agree(t, definition, data)
				for _, changed := range mutations(t, data) {
					agree(t, definition, changed)
				}
			}
		})
	}
}

// seeds are valid documents of as many definitions as there are: the corpus,
// and one that has every member for what the corpus has little of.
func seeds(t *testing.T) map[string][][]byte {
	t.Helper()
	out := map[string][][]byte{}
	for definition, document := range full {
		out[definition] = append(out[definition], []byte(document))
	}
	files, _ := filepath.Glob(filepath.Join(corpus, "*/valid/*.json"))
	if len(files) == 0 {
		t.Skipf("the conformance corpus is not at %s", corpus)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		definition := filepath.Base(filepath.Dir(filepath.Dir(file)))
		out[definition] = append(out[definition], data)
	}
	return out
}

var replacements = []any{nil, true, "", "x", json.Number("1"), json.Number("-1"), json.Number("1.5"),
	json.Number("9007199254740992"), []any{}, map[string]any{}, []any{nil}, "function", "/a~2", "success", "assistant"}

// mutations returns the document with one thing changed, for every place in it.
func mutations(t *testing.T, data []byte) [][]byte {
	t.Helper()
	var root any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	var out [][]byte
	emit := func() {
		changed, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, changed)
	}
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		for _, r := range replacements {
			set(r)
			emit()
		}
		set(v)
		switch v := v.(type) {
		case map[string]any:
			v["undeclared"] = 1
			emit()
			delete(v, "undeclared")
			for _, name := range slices.Sorted(maps.Keys(v)) {
				old := v[name]
				delete(v, name)
				emit()
				v[name] = old
				walk(old, func(x any) { v[name] = x })
			}
		case []any:
			for i := range v {
				old := v[i]
				walk(old, func(x any) { v[i] = x })
			}
		}
	}
	walk(root, func(x any) { root = x })
	return out
}

// TestWrittenIsValid reads every document that the schema accepts, and checks
// what we write of it, so that the schema stands behind all that we encode.
func TestWrittenIsValid(t *testing.T) {
	s := load(t)
	for definition, documents := range seeds(t) {
		for _, data := range documents {
			if s.Check("Event", data) != nil {
				continue
			}
			e, err := protocol.Decode(data)
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			written, err := protocol.Encode(e)
			if err != nil {
				t.Fatalf("%s: %v", data, err)
			}
			if err := s.Check(definition, written); err != nil {
				t.Errorf("%s\n%v", written, err)
			}
		}
	}
}

// FuzzVerdicts compares verdicts over documents that were changed many times.
func FuzzVerdicts(f *testing.F) {
	s := load(f)
	for definition, document := range full {
		f.Add(definition, []byte(document), uint64(1))
	}
	f.Fuzz(func(t *testing.T, definition string, data []byte, seed uint64) {
		if !json.Valid(data) || !slices.Contains(protocol.Definitions(), definition) {
			return
		}
		random := rand.New(rand.NewPCG(seed, 0))
		for range 3 {
			all := mutations(t, data)
			data = all[random.IntN(len(all))]
		}
		theirs, ours := s.Check(definition, data), protocol.Validate(definition, data)
		if (theirs == nil) != (ours == nil) {
			t.Errorf("%s %s\nschema: %v\nours: %v", definition, data, theirs, ours)
		}
	})
}

// TestFixturesAgree asks the schema about the documents of protocol's own tests.
func TestFixturesAgree(t *testing.T) {
	s := load(t)
	file, err := os.ReadFile("../../testdata/events.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(file)) {
		verdict, document, _ := strings.Cut(strings.TrimSpace(line), " ")
		if verdict == "invalid" {
			_, document, _ = strings.Cut(document, " ")
		}
		if verdict != "valid" && verdict != "invalid" {
			continue
		}
		n++
		if err := s.Check("Event", []byte(document)); (err == nil) != (verdict == "valid") {
			t.Errorf("%s is %s: %v", document, verdict, err)
		}
	}
	if n == 0 {
		t.Error("no documents")
	}
}
