package conformance_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each behaviour that BEHAVIOURS.md accounts for is held by tests that are there, by their
// names, or says why there is nothing to hold.
func TestBehavioursAreHeld(t *testing.T) {
	tests, named := map[string]bool{}, map[string]bool{}
	function, row := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`), regexp.MustCompile(`(?m)^\t\{"([^"]+)",`)
	for _, name := range treeFiles(t) {
		inTable := strings.HasPrefix(name, "redisstore/storetest/") || strings.HasPrefix(name, "adapter/behaviours_")
		if !strings.HasSuffix(name, "_test.go") && !inTable {
			continue
		}
		body, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			continue
		}
		for _, found := range function.FindAllStringSubmatch(string(body), -1) {
			tests[found[1]] = true
		}
		if inTable {
			for _, found := range row.FindAllStringSubmatch(string(body), -1) {
				named[found[1]] = true
			}
		}
	}
	page, err := os.ReadFile("BEHAVIOURS.md")
	if err != nil {
		t.Fatal(err)
	}
	code, quoted := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`"), regexp.MustCompile(`“([^”]+)”`)
	rows := 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 2 || strings.HasPrefix(cells[0], " ---") || strings.TrimSpace(cells[1]) == "held by" {
			continue
		}
		rows++
		what, by := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])
		holds := 0
		for _, each := range code.FindAllStringSubmatch(by, -1) {
			if holds++; !tests[each[1]] {
				t.Errorf("%q is held by %s, and there is no such test", what, each[1])
			}
		}
		for _, each := range quoted.FindAllStringSubmatch(by, -1) {
			if holds++; !named[each[1]] {
				t.Errorf("%q is held by what no table has: %s", what, each[1])
			}
		}
		if reason, not := strings.CutPrefix(by, "not here: "); holds == 0 && (!not || len(reason) < 20) {
			t.Errorf("%q is held by nothing, and it is not said why", what)
		}
	}
	if rows < 100 {
		t.Errorf("%d rows are read", rows)
	}
}
