package protocol

import (
	"os"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/protocol/problem"
)

// TestFixtures holds every kind of event to the project's own documents.
func TestFixtures(t *testing.T) {
	file, err := os.ReadFile("testdata/events.txt")
	if err != nil {
		t.Fatal(err)
	}
	valid, invalid := map[EventType]int{}, map[EventType]int{}
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSpace(line)
		verdict, rest, _ := strings.Cut(line, " ")
		switch verdict {
		case "valid":
			if err := ValidateEvent([]byte(rest)); err != nil {
				t.Errorf("%s: %v", rest, err)
			}
			e, err := Decode([]byte(rest))
			if err != nil {
				t.Errorf("%s: %v", rest, err)
				continue
			}
			valid[e.Type()]++
			if removed := Strip(e); removed != nil {
				t.Errorf("%s: would strip %v", rest, removed)
			}
			back, err := Encode(e)
			if err != nil || !sameJSON(t, back, []byte(rest)) && e.Type() != TypeRunStarted {
				t.Errorf("%s became %s, %v", rest, back, err)
			}
		case "invalid":
			pointer, document, _ := strings.Cut(rest, " ")
			if pointer == "-" {
				pointer = ""
			}
			problems := problem.Of(ValidateEvent([]byte(document)))
			if len(problems) != 1 || problems[0].Pointer != pointer {
				t.Errorf("%s: expected a problem at %q, got %v", document, pointer, problems)
			}
			for name := range kinds {
				if strings.HasPrefix(document, `{"type":"`+string(name)+`"`) {
					invalid[name]++
				}
			}
		}
	}
	for name := range kinds {
		if valid[name] < 2 || invalid[name] < 4 {
			t.Errorf("%s has %d valid and %d invalid documents", name, valid[name], invalid[name])
		}
	}
}
