package execution

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/store"
)

// The journal keeps no arguments that a human could not read, nor what is no JSON.
func TestWhatIsKeptOfWhatAStepIsAbout(t *testing.T) {
	fits, over := `"`+strings.Repeat("x", maxAbout-2)+`"`, `"`+strings.Repeat("x", maxAbout-1)+`"`
	for _, c := range []struct{ args, kept string }{{`{"to":"ann"}`, `{"to":"ann"}`}, {fits, fits}, {over, ""}, {`{`, ""}, {"", ""}} {
		about := &store.StepAbout{Call: "send", Key: "k", Args: json.RawMessage(c.args)}
		kept := aboutOf(about)
		if string(kept.Args) != c.kept || kept.Call != "send" || kept.Key != "k" || string(about.Args) != c.args {
			t.Errorf("of %.20s %.20s is kept, want %.20s", c.args, kept.Args, c.kept)
		}
	}
	if aboutOf(nil) != nil {
		t.Error("something is kept of nothing")
	}
}
