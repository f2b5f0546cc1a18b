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

// tarball is what npm has made of a package, on the first use.
type tarball struct {
	sync.Once
	path string
	err  error
}

// tarballs are those of the browser packages, by their folders in web.
var tarballs = map[string]*tarball{"client": {}, "react": {}}

// Pack is the tarball of the browser package, as npm would publish it. It is made of
// a copy of web/client: the folder's own dist may be another test's, or somebody's who
// is at work there.
func Pack(t testing.TB) string {
	t.Helper()
	return packed(t, "client")
}

// PackReact is the same of web/react.
func PackReact(t testing.TB) string {
	t.Helper()
	return packed(t, "react")
}

func packed(t testing.TB, name string) string {
	t.Helper()
	root := Root(t)
	if _, err := os.Stat(filepath.Join(root, "web", "node_modules", "typescript")); err != nil {
		Missing(t, "node", "run npm ci --prefix web")
	}
	made := tarballs[name]
	made.Do(func() { made.path, made.err = pack(root, name) })
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.path
}

// pack makes the tarball of a folder in web. A copy of client is beside it: react is compiled against its types.
func pack(root, name string) (string, error) {
	if binary.dir == "" {
		return "", errors.New("command: the package's TestMain does not call command.Main")
	}
	checkout := filepath.Join(binary.dir, "checkout-"+name)
	web := filepath.Join(checkout, "web")
	for _, folder := range []string{"client", name} {
		if _, err := os.Stat(filepath.Join(web, folder)); err == nil {
			continue
		}
		if err := os.CopyFS(filepath.Join(web, folder), os.DirFS(filepath.Join(root, "web", folder))); err != nil {
			return "", err
		}
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
	cmd := exec.Command("npm", "pack", "./web/"+name)
	cmd.Dir = checkout
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("command: npm pack: %w\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(checkout, "*.tgz"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("command: npm pack has made %q, %v", found, err)
	}
	return found[0], nil
}
