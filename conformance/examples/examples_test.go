// Package examples is the lane of the examples that have a page of their own: what
// npm run dev serves, in Chromium.
package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

func TestMain(m *testing.M) { os.Exit(command.Main(m)) }

// The examples, and the folders whose packages they are tried with: those are the
// versions that they ask for.
var examples = map[string][]string{
	"copilotkit":   {"conformance/frontends", "web"},
	"assistant-ui": {"conformance/frontends", "web"},
	"tanstack":     {"web"},
}

func TestExamples(t *testing.T) {
	suite.Full(t)
	command.Node(t, "web", "conformance/frontends")
	browser := command.Chromium(t)
	for _, name := range slices.Sorted(maps.Keys(examples)) {
		t.Run(name, func(t *testing.T) {
			app := application(t, name)
			effects := filepath.Join(t.TempDir(), "effects")
			tests := func(file, pages string) {
				command.NodeTests(t, []string{
					"AGUIWS_EXAMPLE=" + name,
					"AGUIWS_PAGES=" + pages,
					"AGUIWS_EFFECTS=" + effects,
					"AGUIWS_BROWSER=" + browser,
					"AGUIWS_SHOTS=" + command.Artifacts(t),
				}, file)
			}
			tests("examples.test.mjs", dev(t, app, "AGUIWS_EFFECTS="+effects))
			gateway := command.Start(t, command.Options{Args: []string{"--upstream", "langgraph+" + truthy(t)}})
			tests("listed.test.mjs", dev(t, app, "AGUIWS_URL="+gateway.URL()))
		})
	}
}

// about is a package.json.
type about struct {
	Version         string
	Scripts         map[string]string
	Dependencies    map[string]string
	DevDependencies map[string]string
}

func read(t *testing.T, folder string) (a about) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// application is the example as its user has it, in a checkout, with the packages
// that lanes have installed already.
func application(t *testing.T, name string) (app string) {
	t.Helper()
	root, checkout := command.Root(t), t.TempDir()
	app = filepath.Join(checkout, "examples", name)
	if err := os.MkdirAll(filepath.Join(app, "node_modules"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"examples/" + name + "/src", "web/client", "web/react"} {
		if err := os.CopyFS(filepath.Join(checkout, part), os.DirFS(filepath.Join(root, part))); err != nil {
			t.Fatal(err)
		}
	}
	for _, part := range []string{"examples/" + name + "/package.json", "examples/" + name + "/index.html", "examples/" + name + "/vite.config.js", "web/tsconfig.json"} {
		text, err := os.ReadFile(filepath.Join(root, part))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(checkout, part), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Node goes by where a script really is, and that is where the server's source is.
	link(t, filepath.Join(root, "examples", "dev.mjs"), filepath.Join(checkout, "examples", "dev.mjs"))
	example := read(t, app)
	wanted := maps.Clone(example.Dependencies)
	maps.Copy(wanted, example.DevDependencies)
	for _, folder := range examples[name] {
		modules := filepath.Join(root, folder, "node_modules")
		for dependency, version := range wanted {
			to := filepath.Join(app, "node_modules", dependency)
			if _, err := os.Stat(to); err == nil {
				continue
			}
			if _, err := os.Stat(filepath.Join(modules, dependency)); err != nil {
				continue
			}
			if got := read(t, filepath.Join(modules, dependency)).Version; got != version {
				t.Fatalf("examples/%s asks for %s %s, and %s has %s", name, dependency, version, folder, got)
			}
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(modules, dependency), to)
		}
	}
	for dependency := range wanted {
		if _, err := os.Stat(filepath.Join(app, "node_modules", dependency)); err != nil {
			t.Fatalf("examples/%s asks for %s, which none of %q has", name, dependency, examples[name])
		}
	}
	return app
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

// dev runs what npm run dev does, and returns the page's address.
func dev(t *testing.T, app string, env ...string) string {
	t.Helper()
	script := strings.Fields(read(t, app).Scripts["dev"])
	if len(script) != 2 || script[0] != "node" {
		t.Fatalf("npm run dev is %q", script)
	}
	cmd := exec.Command("node", script[1], "--host", "127.0.0.1", "--port", fmt.Sprint(redistest.FreePort(t)))
	cmd.Dir = app
	cmd.Env = append(os.Environ(), env...)
	said := &output{address: make(chan string, 1)}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
		if t.Failed() {
			t.Logf("npm run dev has said:\n%s", said)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	select {
	case address := <-said.address:
		return address
	case err := <-ended:
		ended <- err
		t.Fatalf("npm run dev: %v", err)
	case <-ctx.Done():
		t.Fatal("npm run dev tells no address")
	}
	return ""
}

// output keeps what a process says, and finds the address that Vite tells.
type output struct {
	address chan string

	mu sync.Mutex
	b  bytes.Buffer
}

// Vite colours parts of the line where it believes that somebody looks.
var (
	local   = regexp.MustCompile(`Local:\s+(http://\S+?)/?\s`)
	colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)
)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b.Write(p)
	if found := local.FindSubmatch(colours.ReplaceAll(o.b.Bytes(), nil)); found != nil {
		select {
		case o.address <- string(found[1]):
		default:
		}
	}
	return len(p), nil
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// What npm ci installs is what package.json asks for.
func TestLocksAreInStep(t *testing.T) {
	t.Parallel()
	for name := range examples {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(command.Root(t), "examples", name)
			text, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
			if err != nil {
				t.Fatal(err)
			}
			var lock struct{ Packages map[string]about }
			if err := json.Unmarshal(text, &lock); err != nil {
				t.Fatal(err)
			}
			asked, locked := read(t, folder), lock.Packages[""]
			if !maps.Equal(asked.Dependencies, locked.Dependencies) || !maps.Equal(asked.DevDependencies, locked.DevDependencies) {
				t.Errorf("package-lock.json is of %v and %v: run npm install in examples/%s", locked.Dependencies, locked.DevDependencies, name)
			}
		})
	}
}
