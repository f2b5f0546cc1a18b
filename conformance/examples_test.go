package conformance_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// An example is read in a minute: a page of ten lines, with one command among them. What is
// said to be short elsewhere is that short.
func TestExamplesAreShort(t *testing.T) {
	most := map[string]int{"approval": 115, "assistant": 60}
	command := regexp.MustCompile("(?ms)^```(?:sh)?$.*?^```$")
	folders := map[string]bool{}
	for _, name := range treeFiles(t) {
		if parts := strings.Split(name, "/"); parts[0] == "examples" && len(parts) > 2 {
			folders[parts[1]] = true
		}
	}
	for folder := range folders {
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join("..", "examples", folder, name))
			if err != nil {
				t.Error(err)
			}
			return string(text)
		}
		lines := 0
		text := read("README.md")
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" {
				lines++
			}
		}
		if lines > 10 || len(command.FindAllString(text, -1)) != 1 {
			t.Errorf("%s has %d lines and %d places with a command", path.Join("examples", folder, "README.md"), lines, len(command.FindAllString(text, -1)))
		}
		if n, short := most[folder]; short {
			if has := strings.Count(read("main.go"), "\n"); has > n {
				t.Errorf("%s has %d lines, and is to have %d at most", path.Join("examples", folder, "main.go"), has, n)
			}
		}
	}
	for folder := range most {
		if !folders[folder] {
			t.Errorf("there is no example %s", folder)
		}
	}
}
