package responseschema

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// The library is to check the same formats as this package, by any draft.
func init() {
	for name := range jsonschema.Formats {
		if !checkedFormats[name] {
			delete(jsonschema.Formats, name)
		}
	}
}

// The page's tests read the same examples: it shows what the server judges.
func TestFormats(t *testing.T) {
	text, err := os.ReadFile("testdata/formats.json")
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string]struct{ Valid, Invalid []string }
	if err := json.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	check := func(schema, text string) bool {
		t.Helper()
		payload, _ := json.Marshal(text)
		problems, err := new(Set).Check(t.Context(), []byte(schema), payload)
		if err != nil {
			t.Fatal(err)
		}
		return len(problems) == 0
	}
	for name, example := range examples {
		for _, draft := range []string{"", drafts[0] + "#", drafts[2] + "#", drafts[4]} {
			schema := fmt.Sprintf(`{"type":"string","format":%q}`, name)
			if draft != "" {
				schema = fmt.Sprintf(`{"$schema":%q,"type":"string","format":%q}`, draft, name)
			}
			for _, text := range example.Valid {
				if !check(schema, text) {
					t.Errorf("%s refuses %q", schema, text)
				}
			}
			for _, text := range example.Invalid {
				if check(schema, text) {
					t.Errorf("%s accepts %q", schema, text)
				}
			}
		}
	}
	for name := range checkedFormats {
		if len(examples[name].Invalid) == 0 {
			t.Errorf("there is no example of what is no %s", name)
		}
	}
}
