package conformance_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What no file of the tree may hold. The patterns are written so that they do
// not match themselves.
var unwanted = []struct {
	files   func(name string, body []byte) bool
	pattern *regexp.Regexp
	why     string
}{
	{anyFile, regexp.MustCompile(`(?m)(^|[\s"'=(` + "`" + `])/(root|home|Users|work|mnt)/[A-Za-z0-9._-]+`),
		"it names a path of one machine; on others it is not there"},
	{anyFile, regexp.MustCompile(`registry\.(npmjs|yarnpkg|npmmirror)\.|//(proxy|sum)\.golang\.|pypi\.(org|python)|deb\.debian\.org`),
		"it names a registry's host; which registry is asked is the machine's business"},
	{testWithRealTime, regexp.MustCompile(`\btime\.Sleep[(](?:[^t]|t[^i]|time\.[^M]|time\.Millisecond[^)])`),
		"a test that sleeps is slow on a fast machine and wrong on a slow one: wait for a signal, poll a condition every millisecond until a deadline, or use synctest"},
}

func anyFile(string, []byte) bool { return true }

func testWithRealTime(name string, body []byte) bool {
	return strings.HasSuffix(name, "_test.go") && !bytes.Contains(body, []byte(`"testing/synctest"`))
}

func TestTreeHoldsNothingUnwanted(t *testing.T) {
	for _, name := range treeFiles(t) {
		body, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue // deleted and not yet committed
		}
		for _, u := range unwanted {
			if !u.files(name, body) {
				continue
			}
			if at := u.pattern.FindIndex(body); at != nil {
				line := 1 + bytes.Count(body[:at[0]], []byte("\n"))
				t.Errorf("%s:%d holds %q: %s", name, line, bytes.TrimSpace(body[at[0]:at[1]]), u.why)
			}
		}
	}
}

// treeFiles asks git for what is part of the tree; one that came
// without git is walked.
func treeFiles(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = ".."
	if out, err := cmd.Output(); err == nil {
		return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 })
	}
	var names []string
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git" || entry.Name() == "artifacts"):
			return filepath.SkipDir
		case entry.Type().IsRegular():
			name, err := filepath.Rel("..", path)
			names = append(names, name)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
