package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// binary is where Main had the command built, on the first use.
var binary struct {
	sync.Once
	dir  string
	path string
	err  error
}

// Main runs the tests, or what else has a Run such as a *testing.M, and removes
// what they had built. It returns the exit code.
func Main(m interface{ Run() int }) int {
	dir, err := os.MkdirTemp("", "aguiws")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary.dir = dir
	return m.Run()
}

func build(t testing.TB) string {
	t.Helper()
	binary.Do(func() {
		if binary.dir == "" {
			binary.err = errors.New("command: the package's TestMain does not call command.Main")
			return
		}
		binary.path = filepath.Join(binary.dir, "aguiws")
		cmd := exec.Command("go", append(append([]string{"build"}, buildFlags...), "-o", binary.path, ".")...)
		cmd.Dir = Root(t)
		if out, err := cmd.CombinedOutput(); err != nil {
			binary.err = fmt.Errorf("command: go build: %w\n%s", err, out)
		}
	})
	if binary.err != nil {
		t.Fatal(binary.err)
	}
	return binary.path
}

// Root is the folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatalf("command: go env GOMOD: %v", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out)))
}

// Missing ends a test whose tool is not there: AGUIWS_REQUIRE decides whether by
// skipping or by failing. The remedy says how to get the tool.
func Missing(t testing.TB, tool, remedy string) {
	t.Helper()
	for required := range strings.SplitSeq(os.Getenv("AGUIWS_REQUIRE"), ",") {
		if strings.TrimSpace(required) == tool {
			t.Fatalf("AGUIWS_REQUIRE wants %s: %s", tool, remedy)
		}
	}
	t.Skipf("without %s: %s (AGUIWS_REQUIRE=%s makes this a failure)", tool, remedy, tool)
}
