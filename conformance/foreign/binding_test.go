package foreign

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/bindingschema"
	"github.com/aguiws/aguiws/internal/suite"
)

// A server that was written from docs/binding, and not from ours, passes each case of the core and of
// the profile resume, over sockets and at every level. It skips what its profile file says
// that it lacks and what its ws.hello does not announce, and nothing else.
func TestBindingServer(t *testing.T) {
	suite.Full(t)
	core := []string{"handshake", "frames", "limits", "lifecycle", "cancel", "queue", "state", "tolerance", "versions"}
	for _, test := range []struct {
		profiles string
		groups   []string // of which it passes cases
	}{
		{"core", core},
		{"resume", append([]string{"attach", "repeat"}, core...)},
	} {
		t.Run(test.profiles, func(t *testing.T) {
			results := conformance.Run(t.Context(), bindingTarget(t, test.profiles), allCases(t), nil)
			passed := map[string]int{}
			for _, r := range results {
				switch {
				case r.Status == conformance.Passed:
					passed[r.Case.Group()]++
				case r.Status != conformance.Skipped:
					t.Errorf("%s: %s %s\n%v\n%s", r.Case.Name, r.Status, r.Reason, r.Violations, exchange(r))
				case !declared(r.Reason, test.profiles):
					t.Errorf("%s is skipped, and that is declared nowhere: %s", r.Case.Name, r.Reason)
				}
			}
			for _, group := range test.groups {
				if passed[group] == 0 {
					t.Errorf("no case of %s is passed", group)
				}
			}
			described(t, results)
			t.Log(passed)
		})
	}
}

// The core and resume are little code: at most 400 lines, without comments.
func TestBindingServerIsSmall(t *testing.T) {
	lines := 0
	for _, name := range []string{"binding.mjs", "reading.mjs", "agent.mjs"} {
		text, err := os.ReadFile(filepath.Join("node", name))
		if err != nil {
			t.Fatal(err)
		}
		lines += len(regexp.MustCompile(`(?m)^\s*[^\s/].*$`).FindAll(text, -1))
	}
	if lines > 400 {
		t.Errorf("it has %d lines", lines)
	}
}

// The cases of resume find out a server that says it has the profile and does not.
func TestBindingServerMustHaveWhatItLists(t *testing.T) {
	suite.Full(t)
	cases, err := conformance.Select(allCases(t), []string{"attach/unused", "attach/every-position", "repeat/of"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	target := bindingTarget(t, "core")
	target.Profile = &conformance.Profile{Name: "core", Offers: []string{"say", "state", "fail", "delegate", "resume", "follow", "position"}}
	target.Timeout = 500 * time.Millisecond // what is wanted does not come
	results := conformance.Run(t.Context(), target, cases, nil)
	if len(results) != 3 {
		t.Errorf("%d cases were tried", len(results))
	}
	for _, r := range results {
		if r.Status != conformance.Failed {
			t.Errorf("%s: %s %s", r.Case.Name, r.Status, r.Reason)
		}
	}
}

func allCases(t *testing.T) []*conformance.Case {
	t.Helper()
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// bindingTarget starts the server with these profiles.
func bindingTarget(t *testing.T, profiles string) conformance.Target {
	t.Helper()
	command.Node(t, "conformance/foreign/node")
	cmd := exec.Command("node", "binding.mjs", profiles)
	cmd.Dir = "node"
	text, err := os.ReadFile(filepath.Join("node", "binding.json"))
	if err != nil {
		t.Fatal(err)
	}
	profile, err := conformance.ReadProfile(text)
	if err != nil {
		t.Fatal(err)
	}
	return conformance.Target{URL: "ws://" + command.Said(t, cmd, "listening") + "/agui/ws", Over: conformance.Binding, Profile: profile, Timeout: patience}
}

// declared reports whether a case is skipped for what the profile file or ws.hello says.
func declared(reason, profiles string) bool {
	_, unannounced, is := strings.Cut(reason, "ws.hello does not announce the profile ")
	return strings.HasSuffix(reason, ": the server does not offer it") ||
		slices.ContainsFunc([]string{"effects: ", "restart: ", "drain: "}, func(own string) bool { return strings.HasPrefix(reason, own) }) ||
		is && unannounced != profiles
}

// described holds the server's control frames to the schema that it was written from.
func described(t *testing.T, results []conformance.Result) {
	t.Helper()
	frames, err := bindingschema.Read(filepath.Join("..", "..", "docs", "binding", "frames.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, r := range results {
		for _, f := range r.Frames {
			text := []byte(f.Text)
			if f.Dir != "<" || !strings.HasPrefix(f.Text, "{") || !json.Valid(text) { // a trace cuts long ones
				continue
			}
			held++
			if err := frames.Check(bindingschema.Server, text); err != nil {
				t.Errorf("%s: %s: %v", r.Case.Name, f.Text, err)
			}
		}
	}
	if held == 0 {
		t.Error("no frame was held to the schema")
	}
}
