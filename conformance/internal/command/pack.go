package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// tarball is what npm has made of the browser package, on the first use.
var tarball struct {
	sync.Once
	path string
	err  error
}

// Pack is the tarball of the browser package, as npm would publish it. It is made of
// a copy of web/client: the folder's own dist may be another test's, or somebody's who
// is at work there.
func Pack(t testing.TB) string {
	t.Helper()
	root := Root(t)
	if _, err := os.Stat(filepath.Join(root, "web", "node_modules", "typescript")); err != nil {
		Missing(t, "node", "run npm ci --prefix web")
	}
	tarball.Do(func() { tarball.path, tarball.err = pack(root) })
	if tarball.err != nil {
		t.Fatal(tarball.err)
	}
	return tarball.path
}

func pack(root string) (string, error) {
	if binary.dir == "" {
		return "", errors.New("command: the package's TestMain does not call command.Main")
	}
	checkout := filepath.Join(binary.dir, "checkout")
	web := filepath.Join(checkout, "web")
	if err := os.CopyFS(filepath.Join(web, "client"), os.DirFS(filepath.Join(root, "web", "client"))); err != nil {
		return "", err
	}
	config, err := os.ReadFile(filepath.Join(root, "web", "tsconfig.json"))
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(web, "tsconfig.json"), config, 0o666); err != nil {
		return "", err
	}
	if err := os.Symlink(filepath.Join(root, "web", "node_modules"), filepath.Join(web, "node_modules")); err != nil {
		return "", err
	}
	cmd := exec.Command("npm", "pack", "./web/client")
	cmd.Dir = checkout
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("command: npm pack: %w\n%s", err, out)
	}
	packed, err := filepath.Glob(filepath.Join(checkout, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return "", fmt.Errorf("command: npm pack has made %q, %v", packed, err)
	}
	return packed[0], nil
}
