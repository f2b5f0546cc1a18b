package upstreams

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// TestUnprepared has people answer agents that ask without a schema, behind a gateway that
// is told their URL alone.
func TestUnprepared(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	browser := chromium(t)
	cli := filepath.Join(t.TempDir(), "inbox-cli")
	if out, err := exec.Command("go", "build", "-o", cli, "github.com/aguiws/aguiws/examples/inbox-cli").CombinedOutput(); err != nil {
		t.Fatalf("building inbox-cli: %v\n%s", err, out)
	}
	for program, agent := range map[string]string{"node": "agent.mjs", "python3": "agent.py"} {
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				command.Missing(t, program, "install "+program)
			}
			effects := filepath.Join(t.TempDir(), "effects")
			url := ready(t, exec.Command(program, filepath.Join("unprepared", agent), effects))
			gateway := command.Start(t, command.Options{Args: []string{"--upstream", url}})
			env := []string{
				"AGUIWS_TARGET=" + program,
				"AGUIWS_URLS=" + gateway.URL(),
				"AGUIWS_EFFECTS=" + effects,
				"AGUIWS_INBOX_CLI=" + cli,
				"AGUIWS_BROWSER=" + browser,
				"AGUIWS_SHOTS=" + command.Artifacts(t),
			}
			command.NodeTests(t, env, "unprepared.test.mjs")
		})
	}
}
