package conformance_test

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of frameworks has every agent that conformance/upstreams runs and every client of
// CLIENTS.md, and names no version of a package that no lane installs.
func TestDocsNameTheFrameworksThatAreTried(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("../docs/frameworks.md")
	var wanted []string
	for _, name := range treeFiles(t) {
		if folder, is := strings.CutPrefix(path.Dir(name), "conformance/upstreams/"); is && path.Base(name) != "package.json" {
			wanted = append(wanted, "conformance/upstreams/"+folder)
		}
	}
	_, table, _ := strings.Cut(read("CLIENTS.md"), "<!-- table -->\n")
	table, _, _ = strings.Cut(table, "<!-- end of table -->")
	for _, row := range regexp.MustCompile(`(?m)^\| (\S.*?) \| \d[^|]* \| (.*?) \|`).FindAllStringSubmatch(table, -1) {
		for _, cell := range row[1:] {
			wanted = append(wanted, regexp.MustCompile("@[a-z-]+/[a-z-]+|`[^`]+`").FindAllString(cell, -1)...)
		}
	}
	slices.Sort(wanted)
	if wanted = slices.Compact(wanted); len(wanted) < 15 {
		t.Fatalf("found only %q", wanted)
	}
	for _, name := range wanted {
		if !strings.Contains(page, strings.Trim(name, "`")) {
			t.Errorf("it does not name %s", name)
		}
	}

	installed := map[string][]string{}
	for _, name := range treeFiles(t) {
		if path.Base(name) != "package.json" || !strings.HasPrefix(name, "conformance/") {
			continue
		}
		var has struct{ DevDependencies map[string]string }
		if err := json.Unmarshal([]byte(read("../"+name)), &has); err != nil {
			t.Fatal(name, err)
		}
		for as, version := range has.DevDependencies {
			if alias, is := strings.CutPrefix(version, "npm:"); is {
				at := strings.LastIndex(alias, "@")
				as, version = alias[:at], alias[at+1:]
			}
			installed[as] = append(installed[as], version)
		}
	}
	named := regexp.MustCompile("`(@?[a-z][a-z/-]+)` ((?:\\d+\\.\\d+\\.\\d+(?:, | and )?)+)").FindAllStringSubmatch(page, -1)
	if len(named) < 10 {
		t.Errorf("it names only %q: are versions read as they are written?", named)
	}
	for _, each := range named {
		for _, version := range regexp.MustCompile(`\d+\.\d+\.\d+`).FindAllString(each[2], -1) {
			if !slices.Contains(installed[each[1]], version) {
				t.Errorf("it names %s %s, and the lanes install %q", each[1], version, installed[each[1]])
			}
		}
	}
}
