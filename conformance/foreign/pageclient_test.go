package foreign

import (
	"net/url"
	"os/exec"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// A client that was written from docs/binding alone is cut off again and again, and in
// the end holds what the thread has. Each run asks, is answered and finishes.
func TestClientFromThePages(t *testing.T) {
	suite.Full(t)
	command.Node(t, "conformance/node")
	at, err := url.Parse(command.Start(t, command.Options{}).URL())
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", "torture.mjs", at.Port(), "60", "1")
	cmd.Dir = "pageclient"
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	t.Logf("%s", said)
}
