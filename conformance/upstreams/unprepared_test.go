package upstreams

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// unprepared are agents as their makers' documents have them, which ask in ways of their own.
var unprepared = []struct {
	name    string
	program string
	file    string
	folder  string // of its packages; "": it needs none
	args    []string
	env     []string
}{
	{name: "node", program: "node", file: "unprepared/agent.mjs"},
	{name: "python3", program: "python3", file: "unprepared/agent.py"},
	{name: "langgraph", program: "node", file: "langgraph/server.mjs", folder: "langgraph", args: []string{"0"}, env: []string{"GRAPHS=asking.mjs"}},
	{name: "mastra", program: "node", file: "mastra/asking.mjs", folder: "mastra", args: []string{"0"}},
}

// TestUnprepared has people answer agents that know nothing of the gateway, which is told
// their URL alone.
func TestUnprepared(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	browser := chromium(t)
	pages := pages(t)
	cli := filepath.Join(t.TempDir(), "inbox-cli")
	if out, err := exec.Command("go", "build", "-o", cli, "github.com/aguiws/aguiws/examples/inbox-cli").CombinedOutput(); err != nil {
		t.Fatalf("building inbox-cli: %v\n%s", err, out)
	}
	for _, each := range unprepared {
		t.Run(each.name, func(t *testing.T) {
			if _, err := exec.LookPath(each.program); err != nil {
				command.Missing(t, each.program, "install "+each.program)
			}
			if each.folder != "" {
				installed(t, each.folder)
			}
			effects := filepath.Join(t.TempDir(), "effects")
			cmd := exec.Command(each.program, slices.Concat([]string{each.file}, each.args, []string{effects})...)
			cmd.Env = slices.Concat(os.Environ(), each.env)
			gateway := command.Start(t, command.Options{Args: []string{"--upstream", ready(t, cmd), "--origins", pages}})
			env := []string{
				"AGUIWS_TARGET=" + each.name,
				"AGUIWS_URLS=" + gateway.URL(),
				"AGUIWS_EFFECTS=" + effects,
				"AGUIWS_INBOX_CLI=" + cli,
				"AGUIWS_PAGES=" + pages,
				"AGUIWS_BROWSER=" + browser,
				"AGUIWS_SHOTS=" + command.Artifacts(t),
			}
			args := []string{"--test-concurrency=1"}
			if *only != "" {
				args = append(args, "--test-name-pattern="+*only)
			}
			command.NodeTests(t, env, append(args, "unprepared.test.mjs", "unprepared-copilotkit.test.mjs")...)
		})
	}
}
