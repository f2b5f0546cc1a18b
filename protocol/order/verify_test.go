package order

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// corpus is AG-UI's own conformance data, which is not part of this project.
const corpus = "../../../shared/facts/conformance"

func TestCorpusStreams(t *testing.T) {
	if _, err := os.Stat(corpus); err != nil {
		t.Skipf("the conformance corpus is not at %s", corpus)
	}
	raw, err := os.ReadFile(filepath.Join(corpus, "classes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var classes map[string]struct {
		FirstIllegal json.RawMessage
	}
	if err := json.Unmarshal(raw, &classes); err != nil {
		t.Fatal(err)
	}
	for name, class := range classes {
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join(corpus, "streams", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var file struct{ Stream []json.RawMessage }
			if err := json.Unmarshal(raw, &file); err != nil {
				t.Fatal(err)
			}
			verdict, got := Verify(file.Stream), "null"
			if verdict != nil {
				if got = strconv.Itoa(verdict.Index); verdict.Rule == RuleTruncated {
					got = `"EOF"`
				}
			}
			if got != string(class.FirstIllegal) {
				t.Errorf("first illegal %s, expected %s: %v", got, class.FirstIllegal, verdict)
			}
		})
	}
}
