package responseschema

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// theirs is the library's verdict.
func theirs(t *testing.T, schema, payload []byte) (valid, known bool) {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.Draft, c.AssertFormat = jsonschema.Draft2020, true
	if err := c.AddResource("urn:aguiws:response-schema", bytes.NewReader(schema)); err != nil {
		return false, false
	}
	s, err := c.Compile("urn:aguiws:response-schema")
	if err != nil {
		return false, false
	}
	d := json.NewDecoder(bytes.NewReader(payload))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return false, false
	}
	err = s.Validate(v)
	if _, endless := err.(jsonschema.InfiniteLoopError); endless {
		return false, false
	}
	return err == nil, true
}

// The suite of JSON Schema comes with a module that this one depends on.
func suite(t *testing.T) []string {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/google/jsonschema-go").Output()
	if err != nil {
		t.Skip("no module to read the suite from")
	}
	files, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "jsonschema/testdata/draft2020-12/*.json"))
	if len(files) == 0 {
		t.Skip("the module holds no suite")
	}
	return files
}

var elsewhere = regexp.MustCompile(`"\$dynamicRef"|localhost:1234|"\$ref": ?"https?:`)

func TestSuiteOfJSONSchema(t *testing.T) {
	ran, unchecked := 0, 0
	for _, file := range suite(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var groups []struct {
			Description string
			Schema      json.RawMessage
			Tests       []struct {
				Description string
				Data        json.RawMessage
				Valid       bool
			}
		}
		if err := json.Unmarshal(text, &groups); err != nil {
			t.Fatal(err)
		}
		for _, g := range groups {
			for _, c := range g.Tests {
				var s Set
				problems, err := s.Check(t.Context(), g.Schema, c.Data)
				if err != nil {
					t.Errorf("%s: %s: %s: %v", filepath.Base(file), g.Description, c.Description, err)
					continue
				}
				ran++
				// What is elsewhere is not looked for, and what is dynamic not always followed.
				if len(problems) == 0 && !c.Valid && elsewhere.Match(g.Schema) {
					unchecked++
					continue
				}
				if valid := len(problems) == 0; valid != c.Valid {
					if library, known := theirs(t, g.Schema, c.Data); !known || library != valid {
						t.Errorf("%s: %s: %s: valid is %v, want %v: %v", filepath.Base(file), g.Description, c.Description, valid, c.Valid, problems)
					}
				}
			}
		}
	}
	if ran < 1000 || unchecked > 200 {
		t.Errorf("%d cases ran, %d of them unchecked", ran, unchecked)
	}
	t.Logf("%d cases ran, %d of them unchecked", ran, unchecked)
}
