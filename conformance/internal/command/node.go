package command

import (
	"bytes"
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// nodeBuilds are the entries of the browser package that the lanes import, by the
// name under which conformance/node/build holds them.
var nodeBuilds = map[string]string{"client.mjs": "index.ts", "tanstack.mjs": "tanstack.ts"}

// Node ends the test where Node is missing, or packages of these folders of the tree.
func Node(t testing.TB, folders ...string) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		Missing(t, "node", "install Node 20.19 or later")
	}
	for _, folder := range folders {
		if _, err := os.Stat(filepath.Join(Root(t), folder, "node_modules", ".package-lock.json")); err != nil {
			Missing(t, "node", "run npm ci --prefix "+folder)
		}
	}
}

// Chromium is the browser of lanes with pages.
func Chromium(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	Missing(t, "chromium", "install Chromium")
	return ""
}

// NodeLane makes a folder of JavaScript tests ready: node is there, the packages
// of conformance/node are installed, and the browser package is built for them in
// conformance/node/build.
func NodeLane(t testing.TB) {
	t.Helper()
	Node(t)
	lane := filepath.Join(Root(t), "conformance", "node")
	esbuild := filepath.Join(lane, "node_modules", ".bin", "esbuild")
	if _, err := os.Stat(esbuild); err != nil {
		Missing(t, "node", "run npm ci --prefix conformance/node")
	}
	// Made aside and renamed: another package's tests may be about to read it.
	build := filepath.Join(lane, "build")
	if err := os.MkdirAll(build, 0o777); err != nil {
		t.Fatal(err)
	}
	aside, err := os.MkdirTemp(build, "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(aside)
	for name, entry := range nodeBuilds {
		made := filepath.Join(aside, name)
		cmd := exec.Command(esbuild, filepath.Join("..", "..", "web", "client", entry), "--bundle", "--format=esm",
			"--platform=neutral", "--packages=external", "--log-level=warning", "--outfile="+made)
		cmd.Dir = lane
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("command: building web/client: %v\n%s", err, out)
		}
		if err := os.Rename(made, filepath.Join(build, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// reporting is what is left of go test's time when tests of another runner are
// told to stop, for them to do so and for the output to be kept.
const reporting = 20 * time.Second

// NodeTests runs tests of the package's folder with node --test, whose further
// arguments are given, and fails the test if they fail. Their output is kept. They
// have as long as go test gives: what node calls a test's timeout is that of a
// whole file, so a lane that has one fails on a machine that does much else.
func NodeTests(t *testing.T, env []string, args ...string) {
	t.Helper()
	nodeTests(t, env, args)
}

// NodeChosen is NodeTests for some tests, by their files and names. It fails the test
// if one of them did not run and pass, so that a renamed test is missed.
func NodeChosen(t *testing.T, env []string, chosen map[string][]string, args ...string) {
	t.Helper()
	var names, patterns []string
	for _, file := range slices.Sorted(maps.Keys(chosen)) {
		for _, name := range chosen[file] {
			names, patterns = append(names, name), append(patterns, regexp.QuoteMeta(name))
		}
	}
	args = append(args, "--test-name-pattern=^(?:"+strings.Join(patterns, "|")+")$")
	out := nodeTests(t, env, append(args, slices.Sorted(maps.Keys(chosen))...))
	for _, name := range names {
		if !bytes.Contains(out, []byte("✔ "+name+" (")) {
			t.Errorf("the chosen test %q did not pass: was it renamed?", name)
		}
	}
}

func nodeTests(t *testing.T, env, args []string) []byte {
	t.Helper()
	ctx := t.Context()
	if deadline, ok := t.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-reporting))
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "node", append([]string{"--test", "--test-reporter=spec"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = reporting / 2
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	KeepOutput(t, out)
	if ctx.Err() != nil {
		t.Errorf("node --test was stopped before go test's time was over: what comes after the last test below is slow or hangs\n%s", out)
	} else if err != nil {
		t.Errorf("node --test: %v\n%s", err, out)
	}
	return out
}

// Artifacts is a folder for what a test leaves to be looked at: artifacts/ of the
// tree, or where AGUIWS_ARTIFACTS says.
func Artifacts(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("AGUIWS_ARTIFACTS")
	if dir == "" {
		dir = filepath.Join(Root(t), "artifacts")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// KeepOutput leaves what a runner of other tests has printed among the artifacts,
// under the test's name.
func KeepOutput(t testing.TB, out []byte) {
	t.Helper()
	name := strings.NewReplacer("/", "-", " ", "-").Replace(t.Name()) + ".log"
	if err := os.WriteFile(filepath.Join(Artifacts(t), name), out, 0o666); err != nil {
		t.Error(err)
	}
}
