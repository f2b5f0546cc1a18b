package install

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance/internal/command"
	"github.com/aguiws/aguiws/internal/suite"
)

// packCreate is the tarball of web/create as npm would publish it, made of copies.
func packCreate(t testing.TB) string {
	t.Helper()
	root, checkout, made := command.Root(t), t.TempDir(), t.TempDir()
	for _, name := range []string{"web/create", "conformance/frontends/snippets"} {
		if err := os.CopyFS(filepath.Join(checkout, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"web/package.json", "web/client/package.json"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(checkout, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, checkout, name, string(text))
	}
	if out, err := try(checkout, nil, "npm", "pack", "./web/create", "--pack-destination", made); err != nil {
		t.Fatalf("npm pack: %v\n%s", err, out)
	}
	tarballs, err := filepath.Glob(filepath.Join(made, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		t.Fatalf("npm pack has made %q, %v", tarballs, err)
	}
	return tarballs[0]
}

// The page of a new folder: with its packages it passes the compiler and is built.
func TestCreate(t *testing.T) {
	suite.Full(t)
	tools(t)
	client, within := command.Pack(t), t.TempDir()
	create := append([]string{"npm", "exec", "--yes", "--package", packCreate(t), "--", "create-aguiws"}, "My Chat")
	out, err := try(within, nil, create...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	app := filepath.Join(within, "My Chat")
	for _, command := range []string{`cd "My Chat"`, "npm install", "npm run dev"} {
		if !strings.Contains(out, "\n  "+command+"\n") {
			t.Errorf("it does not say %q:\n%s", command, out)
		}
	}
	if _, err := os.Stat(filepath.Join(app, ".gitignore")); err != nil {
		t.Error(err)
	}

	// Somebody's work is left alone.
	before := tree(t, app)
	if out, err := try(within, nil, create...); err == nil || !strings.Contains(out, app+" is not empty") {
		t.Errorf("into a folder that is not empty: %v\n%s", err, out)
	}
	if after := tree(t, app); after != before {
		t.Errorf("there was\n%s\nand now there is\n%s", before, after)
	}

	install(t, app, managers(t)[0], []string{client}, "npm_config_before="+asOf)
	if out, err := try(app, nil, "npm", "run", "build"); err != nil {
		t.Errorf("npm run build: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(app, "dist", "index.html")); err != nil {
		t.Error(err)
	}
}

// A folder must be named, and one only.
func TestCreateSaysWhatItTakes(t *testing.T) {
	suite.Full(t)
	tools(t)
	within := t.TempDir()
	write(t, within, "file", "")
	for name, args := range map[string][]string{"usage: npm create aguiws FOLDER": nil, "one folder": {"a", "b"}, "cannot be written": {"file"}} {
		cmd := exec.Command("node", append([]string{filepath.Join(command.Root(t), "web", "create", "create.mjs")}, args...)...)
		cmd.Dir = within
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), name) {
			t.Errorf("%q: %v, %s, want %q", args, err, out, name)
		}
	}
	if got := tree(t, within); got != "file" {
		t.Errorf("it has written %s", got)
	}
}

// tree is what a folder holds.
func tree(t *testing.T, folder string) string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}
