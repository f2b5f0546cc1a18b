package frontends

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/internal/suite"
)

// published are other people's clients, and the lanes that pin them.
var published = []struct{ name, lane string }{
	{"@ag-ui/client", "node"},
	{"@tanstack/ai-client", "node"},
	{"@assistant-ui/react", "frontends"},
	{"@assistant-ui/react-ag-ui", "frontends"},
	{"@copilotkit/react-core", "frontends"},
}

// What the lanes try is what people install today: a new minor version is worth a
// look, a new major one has to be tried before anything is said of it.
func TestPinnedVersionsAreTodays(t *testing.T) {
	suite.Full(t)
	t.Parallel()
	packages(t)
	for _, p := range published {
		t.Run(p.name, func(t *testing.T) {
			pinned := pinnedIn(t, filepath.Join("..", p.lane, "package.json"), p.name)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, "npm", "view", p.name, "version")
			var said strings.Builder
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil {
				t.Skipf("npm does not say what is newest: %v\n%s", err, said.String())
			}
			newest := strings.TrimSpace(string(out))
			t.Logf("%s: %s is tried, %s is the newest", p.name, pinned, newest)
			switch {
			case majorOf(newest) != majorOf(pinned):
				t.Errorf("%s %s is another major version than %s: pin it in conformance/%s, run the lanes, and make conformance/CLIENTS.md anew", p.name, newest, pinned, p.lane)
			case newest != pinned:
				t.Logf("WARNING: %s %s has not been tried", p.name, newest)
			}
		})
	}
}

func TestMajorOf(t *testing.T) {
	for version, want := range map[string]string{"1.74.0": "1", "2.0.0-rc.1": "2", "0.33.2": "0", "10.0": "10"} {
		if got := majorOf(version); got != want {
			t.Errorf("%s: %q", version, got)
		}
	}
}

func majorOf(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}

func pinnedIn(t *testing.T, file, name string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var about struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		t.Fatal(err)
	}
	pinned := about.DevDependencies[name]
	if pinned == "" || strings.Trim(pinned, "0123456789.") != "" {
		t.Fatalf("%s pins no version of %s: %q", file, name, pinned)
	}
	return pinned
}
