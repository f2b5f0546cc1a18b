package upstreams

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
)

// target is an agent that others have made.
type target struct {
	name    string
	folder  string   // of its packages, and what AGUIWS_TARGETS calls it
	env     []string // beyond this process's
	dialect string
	// inTurn: it asks one question after the other where others ask both at once.
	inTurn bool
	// history is the gateway's setting; "" is its default.
	history string
	// expires: its questions may have a time.
	expires bool
	// steps: it takes several for one message.
	steps bool
	// stops: it is stopped at a URL of its own, and not by whoever closes a request.
	stops bool
}

// upstream is how the gateways are told of the target at the URL.
func (g target) upstream(url string) string {
	settings := fmt.Sprintf("name: agent, url: '%s', dialect: %s", url, g.dialect)
	if g.history != "" {
		settings += ", history: " + g.history
	}
	if g.stops {
		settings += fmt.Sprintf(", stop-url: '%sstop'", url)
	}
	return "[{" + settings + "}]"
}

var targets = []target{
	{name: "aguimock", folder: "aguimock", dialect: "plain", expires: true},
	{name: "tanstack", folder: "tanstack", dialect: "tanstack"},
	{name: "mastra", folder: "mastra", dialect: "mastra", inTurn: true},
	{name: "langgraph", folder: "langgraph", dialect: "langgraph", expires: true, steps: true},
	{name: "langgraph-outcome", folder: "langgraph", env: []string{"OUTCOME=on", "ABORT=off"}, dialect: "langgraph", expires: true, steps: true, stops: true},
	{name: "langgraph-new", folder: "langgraph", dialect: "langgraph", history: "new", expires: true, steps: true},
}

// small are tried where nobody has chosen.
const small = "aguimock,tanstack"

// chosen are the targets that AGUIWS_TARGETS names.
func chosen(t *testing.T) []target {
	t.Helper()
	var all []target
	for name := range strings.SplitSeq(cmp.Or(os.Getenv("AGUIWS_TARGETS"), small), ",") {
		name = strings.TrimSpace(name)
		before := len(all)
		for _, each := range targets {
			if each.folder == name || each.name == name {
				all = append(all, each)
			}
		}
		if len(all) == before {
			t.Fatalf("AGUIWS_TARGETS: there is no target %q", name)
		}
	}
	return all
}

// start starts the target, which leaves its effects in the file, and returns its URL.
func (g target) start(t *testing.T, effects string) string {
	t.Helper()
	installed(t, g.folder)
	cmd := exec.Command("node", filepath.Join(g.folder, "server.mjs"), "0", effects)
	cmd.Env = slices.Concat(os.Environ(), g.env)
	return ready(t, cmd)
}

// installed ends the test if a folder's packages are not there.
func installed(t *testing.T, folder string) { command.Node(t, "conformance/upstreams/"+folder) }

// ready starts an agent and returns the URL that it says.
func ready(t *testing.T, cmd *exec.Cmd) string { return command.Said(t, cmd, "ready") }
