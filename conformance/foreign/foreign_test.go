package foreign

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance"
	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// patience is how long a server may take to do what it must, also on a machine that
// does much else.
const patience = time.Minute

func TestNodeServer(t *testing.T) {
	suite.Full(t)
	command.Node(t, "conformance/foreign/node")
	cmd := exec.Command("node", "server.mjs")
	cmd.Dir = "node"
	judge(t, "node", cmd)
}

func TestGoServer(t *testing.T) {
	suite.Full(t)
	binary := filepath.Join(t.TempDir(), "server")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Dir = "gosdk"
	build.Env = append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		command.Missing(t, "gosdk", "the community Go SDK must be had from the module proxy: "+string(out))
	}
	judge(t, "gosdk", exec.Command(binary))
}

// judge holds a server to what AG-UI and its interrupt contract ask, and compares its failures with
// those that are written down.
func judge(t *testing.T, name string, cmd *exec.Cmd) {
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if cases, err = conformance.Select(cases, nil, []conformance.Level{conformance.Must, conformance.Should, conformance.Contract}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(name, "profile.json"))
	if err != nil {
		t.Fatal(err)
	}
	profile, err := conformance.ReadProfile(text)
	if err != nil {
		t.Fatal(err)
	}
	target := conformance.Target{URL: "http://" + command.Said(t, cmd, "listening"), Over: conformance.SSE, Profile: profile, Timeout: patience}
	results := conformance.Run(t.Context(), target, cases, nil)
	known := written(t, name)
	counts := conformance.Counts{}
	for _, r := range results {
		_, expected := known[r.Case.Name]
		delete(known, r.Case.Name)
		switch {
		case r.Status == conformance.Failed:
			counts.Failed++
			if !expected {
				t.Errorf("%s fails, and failures.txt does not say so: %s: %s\n%s", r.Case.Name, r.Violations[0].Rule, r.Violations[0].Message, exchange(r))
			}
		case r.Status == conformance.Passed:
			counts.Passed++
			if expected {
				t.Errorf("%s passes, and failures.txt says that it fails", r.Case.Name)
			}
		default:
			counts.Skipped++
			if expected {
				t.Errorf("%s is skipped (%s), and failures.txt says that it fails", r.Case.Name, r.Reason)
			}
		}
	}
	for _, left := range slices.Sorted(maps.Keys(known)) {
		t.Errorf("failures.txt has %s, and no such case was tried", left)
	}
	if counts.Passed == 0 || counts.Failed == 0 {
		t.Errorf("%d passed and %d failed: a harness that finds all good or all bad shows nothing", counts.Passed, counts.Failed)
	}
	t.Logf("%s: %d passed, %d failed, %d skipped", profile.Name, counts.Passed, counts.Failed, counts.Skipped)
}

func exchange(r conformance.Result) string {
	var b strings.Builder
	for _, f := range r.Frames {
		text := f.Text
		if len(text) > 300 {
			text = text[:300] + "…"
		}
		b.WriteString("  " + f.Client + f.Dir + " " + text + "\n")
	}
	return b.String()
}

// written are the failures of a server that failures.txt has, with their reasons.
func written(t *testing.T, server string) map[string]string {
	t.Helper()
	text, err := os.ReadFile("failures.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for i, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		if len(words) < 4 {
			t.Fatalf("failures.txt:%d: it is SERVER CASE and a reason, not %q", i+1, line)
		}
		if words[0] == server {
			list[words[1]] = strings.Join(words[2:], " ")
		}
	}
	return list
}
