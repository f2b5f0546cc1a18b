package server

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bindingCodes is every frame of the server, disposition, reason, error code and
// close code in BINDING.md, by where it comes: as saw notes them.
func bindingCodes(page string) []string {
	wanted := map[string]bool{}
	section := func(title string) string {
		_, rest, found := strings.Cut(page, "\n"+title+"\n")
		if !found {
			panic("BINDING.md has no section " + title)
		}
		level := title[:strings.Index(title, " ")+1]
		text, _, _ := strings.Cut(rest, "\n"+level)
		return text
	}
	rows := func(text string) (cells [][]string) {
		for line := range strings.Lines(text) {
			switch {
			case strings.HasPrefix(line, "| ---"):
				cells = cells[:len(cells)-1] // what the columns are
			case strings.HasPrefix(line, "| "):
				cells = append(cells, strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|"))
			}
		}
		return cells
	}
	quoted := func(text string) (words []string) {
		for _, m := range regexp.MustCompile("`([a-z_.]+)`").FindAllStringSubmatch(text, -1) {
			words = append(words, m[1])
		}
		return words
	}
	want := func(where string, words ...string) {
		for _, w := range words {
			wanted[where+" "+w] = true
		}
	}
	statuses := regexp.MustCompile("([1-5][0-9]{2}) `([a-z_]+)`")

	for _, row := range rows(section("## What the server sends")) {
		want("frame", quoted(row[0])...)
	}
	for _, row := range rows(section("## Following a thread")) {
		if _, reasons, found := strings.Cut(row[1], "`reason`:"); found {
			want("reason", quoted(reasons)...)
		}
	}
	for _, row := range rows(section("## Runs")) {
		want("disposition", quoted(row[0])...)
	}
	refusals := section("## Refusals")
	for _, row := range rows(refusals) {
		codes, where := quoted(row[0]), strings.TrimSpace(row[1])
		if where != "`RUN_ERROR`" {
			want("ws.error", codes...)
		}
		if where == "`RUN_ERROR`" || where == "both" || strings.Contains(row[2], "As `RUN_ERROR`") {
			want("RUN_ERROR", codes...)
		}
	}
	_, failing, _ := strings.Cut(refusals, "Runs that had started fail with")
	failing, _, _ = strings.Cut(failing, ";")
	want("RUN_ERROR", quoted(failing)...)
	for _, row := range rows(section("## Limits and closing")) {
		if code := strings.TrimSpace(row[0]); regexp.MustCompile("^[0-9]{4}$").MatchString(code) {
			want("close", code)
		}
	}
	plain := section("## Plain mode")
	for _, m := range regexp.MustCompile("(?:ends with|code) `([a-z_]+)`").FindAllStringSubmatch(plain, -1) {
		want("RUN_ERROR", m[1])
	}
	posting := section("### Posting")
	_, breaking, _ := strings.Cut(posting, "is not the run's:")
	breaking, _, _ = strings.Cut(breaking, "\n\n")
	want("stream", quoted(breaking)...)
	for _, row := range rows(posting) {
		codes, numbers := quoted(row[1]), regexp.MustCompile("[0-9]{3}").FindAllString(row[0], -1)
		for i := range min(len(codes), len(numbers)) {
			want(numbers[i], codes[i])
		}
	}
	for _, text := range []string{section("## Opening a socket"), posting, section("### Following")} {
		for _, m := range statuses.FindAllStringSubmatch(text, -1) {
			want(m[1], m[2])
		}
	}
	return slices.Sorted(maps.Keys(wanted))
}

// The page's tables are read as they stand today; one that is written otherwise
// must be read otherwise.
func TestBindingListsCodes(t *testing.T) {
	page, err := os.ReadFile("BINDING.md")
	if err != nil {
		t.Fatal(err)
	}
	codes := bindingCodes(string(page))
	for _, code := range []string{
		"frame ws.hello", "frame ws.goaway", "disposition repeat", "reason trimmed", "ws.error malformed_frame", "ws.error rate_limited",
		"RUN_ERROR rate_limited", "RUN_ERROR server_draining", "RUN_ERROR worker_lost", "RUN_ERROR cancelled", "RUN_ERROR invalid_input", "close 1003",
		"close 4408", "403 host_not_allowed", "503 overloaded", "413 body_too_large", "stream unauthenticated",
	} {
		if !slices.Contains(codes, code) {
			t.Errorf("%s is not found in BINDING.md", code)
		}
	}
	if len(codes) < 65 {
		t.Errorf("only %d codes are found in BINDING.md: %q", len(codes), codes)
	}
}

// missing says what of BINDING.md the tests have not had from a server, and what
// they have had that BINDING.md does not list.
func missing() []string {
	page, err := os.ReadFile("BINDING.md")
	if err != nil {
		return []string{err.Error()}
	}
	seen.Lock()
	defer seen.Unlock()
	var wrong []string
	codes := bindingCodes(string(page))
	for _, code := range codes {
		if !seen.what[code] {
			wrong = append(wrong, code+" is in BINDING.md, and no test provokes it")
		}
	}
	for _, code := range slices.Sorted(maps.Keys(seen.what)) {
		where, what, _ := strings.Cut(code, " ")
		// Without control frames every refusal is a RUN_ERROR, and so is what ends a run.
		listed := slices.Contains(codes, code) || where == "RUN_ERROR" && slices.Contains(codes, "ws.error "+what) ||
			where == "stream" && slices.Contains(codes, "RUN_ERROR "+what)
		if !listed {
			wrong = append(wrong, code+" came from a server, and BINDING.md does not list it")
		}
	}
	return wrong
}

// everything reports whether all tests have run: what is skipped by name may be other
// packages' tests.
func everything() bool {
	for _, name := range []string{"run", "list"} {
		if flag.Lookup("test."+name).Value.String() != "" {
			return false
		}
	}
	return !testing.Short() && !skipsSome(flag.Lookup("test.skip").Value.String())
}

func skipsSome(names string) bool {
	skipped, err := regexp.Compile(names)
	if names == "" || err != nil {
		return err != nil
	}
	files, _ := filepath.Glob("*_test.go")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			if skipped.Match(m[1]) {
				return true
			}
		}
	}
	return false
}

// holdToBinding ends the process of the tests: whatever BINDING.md lists, one of
// them must have provoked.
func holdToBinding(code int) {
	if code == 0 && everything() {
		for _, what := range missing() {
			code = 1
			fmt.Println("FAIL:", what)
		}
	}
	os.Exit(code)
}
