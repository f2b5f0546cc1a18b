package conformance_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// Every path of the tree has a pattern in .ci/parts, every pattern matches a path
// before another one takes it, and every part that one names is a part of .ci/full.
func TestPartsCoverTheTree(t *testing.T) {
	list := exec.Command("bash", ".ci/full", "--list")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Skipf("bash .ci/full --list: %v", err)
	}
	parts := map[string]bool{}
	for _, part := range strings.Fields(string(out)) {
		parts[part] = true
	}
	text, err := os.ReadFile("../.ci/parts")
	if err != nil {
		t.Fatal(err)
	}
	type pattern struct {
		text    string
		matches *regexp.Regexp
		used    bool
	}
	var patterns []*pattern
	named := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) == 1 {
			t.Errorf(".ci/parts: %s names no part; - says that the gate is enough", words[0])
		}
		for _, part := range words[1:] {
			if part != "-" && !parts[part] {
				t.Errorf(".ci/parts: .ci/full has no part %s", part)
			}
			named[part] = true
		}
		expression := strings.ReplaceAll(regexp.QuoteMeta(words[0]), `\*`, ".*")
		patterns = append(patterns, &pattern{text: words[0], matches: regexp.MustCompile("^" + expression + "$")})
	}
	for part := range parts {
		if !named[part] {
			t.Errorf(".ci/parts: no path leads to the part %s", part)
		}
	}
	files := exec.Command("git", "ls-files")
	files.Dir = ".."
	if out, err = files.Output(); err != nil {
		t.Skipf("git ls-files: %v", err)
	}
paths:
	for path := range strings.FieldsSeq(string(out)) {
		for _, p := range patterns {
			if p.matches.MatchString(path) {
				p.used = true
				continue paths
			}
		}
		t.Errorf(".ci/parts: no pattern matches %s", path)
	}
	for _, p := range patterns {
		if !p.used {
			t.Errorf(".ci/parts: no path needs the pattern %s", p.text)
		}
	}
}
