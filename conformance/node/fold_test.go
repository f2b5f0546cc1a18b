package node

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// What protocol makes of a stream (messages, state, open interrupts, the thread
// restated, whether one event more is legal) is what the real client makes of
// it, over generated streams.
func TestFoldIsTheRealClients(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	root := command.Root(t)
	generator := filepath.Join(t.TempDir(), "foldgen")
	if out, err := exec.Command("go", "build", "-o", generator, filepath.Join(root, "conformance", "cmd", "foldgen")).CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	streams := exec.Command(generator, "-n", "3000")
	client := filepath.Join(root, "conformance", "node", "node_modules", "@ag-ui", "client")
	compare := exec.Command("node", filepath.Join(root, "conformance", "cmd", "foldgen", "compare.mjs"), client)
	var err error
	if compare.Stdin, err = streams.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := streams.Start(); err != nil {
		t.Fatal(err)
	}
	out, err := compare.CombinedOutput()
	command.KeepOutput(t, out)
	if err != nil {
		t.Errorf("compare: %v\n%s", err, out)
	}
	if err := streams.Wait(); err != nil {
		t.Errorf("foldgen: %v", err)
	}
}

// The cases in which protocol's patches are held to the client's are the client's.
func TestPatchesAreTheRealClients(t *testing.T) {
	suite.Full(t)
	command.NodeLane(t)
	root := command.Root(t)
	check := exec.Command("node", filepath.Join(root, "conformance", "node", "patches.mjs"), filepath.Join(root, "protocol", "jsonpatch", "testdata", "patches.txt"))
	out, err := check.CombinedOutput()
	command.KeepOutput(t, out)
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
