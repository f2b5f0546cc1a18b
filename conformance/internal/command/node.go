package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// NodeLane makes a folder of JavaScript tests ready: node is there, the packages
// of conformance/node are installed, and the browser package is built for them as
// conformance/node/build/client.mjs.
func NodeLane(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		Missing(t, "node", "install Node 20 or later")
	}
	lane := filepath.Join(Root(t), "conformance", "node")
	esbuild := filepath.Join(lane, "node_modules", ".bin", "esbuild")
	if _, err := os.Stat(esbuild); err != nil {
		Missing(t, "node", "run npm ci --prefix conformance/node")
	}
	cmd := exec.Command(esbuild, filepath.Join("..", "..", "web", "client", "index.ts"), "--bundle", "--format=esm",
		"--platform=neutral", "--packages=external", "--log-level=warning", "--outfile="+filepath.Join("build", "client.mjs"))
	cmd.Dir = lane
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("command: building web/client: %v\n%s", err, out)
	}
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
