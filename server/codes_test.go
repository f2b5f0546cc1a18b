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

	"github.com/aguiws/aguiws/internal/bindingschema"
)

// bindingCodes is every frame of the server, disposition, reason, error code and
// close code in docs/binding, by where it comes: as saw notes them.
func bindingCodes(page string) []string {
	wanted := map[string]bool{}
	want := func(where string, words ...string) {
		for _, w := range words {
			wanted[where+" "+w] = true
		}
	}
	want("frame", slices.Collect(maps.Keys(bindingFrames().Members(bindingschema.Server)))...)
	want("disposition", bindingFrames().Values("ws.run", "disposition")...)
	want("reason", bindingFrames().Values("ws.attached", "reason")...)
	word := regexp.MustCompile("`([a-z_]+)`")
	for line := range strings.Lines(page) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 {
			continue
		}
		if code := strings.TrimSpace(cells[1]); regexp.MustCompile("^[0-9]{4}$").MatchString(code) {
			want("close", code)
		}
		for _, m := range word.FindAllStringSubmatch(cells[1], -1) {
			for where := range strings.SplitSeq(cells[2], ",") {
				want(strings.Trim(where, " `"), m[1])
			}
		}
	}
	return slices.Sorted(maps.Keys(wanted))
}

func codesPage() (string, error) {
	page, err := os.ReadFile("../docs/binding/codes.md")
	return string(page), err
}

// The page's tables are read as they stand today; one that is written otherwise
// must be read otherwise.
func TestBindingListsCodes(t *testing.T) {
	page, err := codesPage()
	if err != nil {
		t.Fatal(err)
	}
	codes := bindingCodes(page)
	for _, code := range []string{
		"frame ws.hello", "frame ws.goaway", "disposition repeat", "reason trimmed", "ws.error malformed_frame", "ws.error rate_limited",
		"RUN_ERROR rate_limited", "RUN_ERROR server_draining", "RUN_ERROR worker_lost", "RUN_ERROR cancelled", "RUN_ERROR invalid_input", "close 1003",
		"close 4408", "403 host_not_allowed", "503 overloaded", "413 body_too_large", "stream unauthenticated",
	} {
		if !slices.Contains(codes, code) {
			t.Errorf("%s is not found in docs/binding", code)
		}
	}
	if len(codes) < 65 {
		t.Errorf("only %d codes are found in docs/binding: %q", len(codes), codes)
	}
}

// missing says what of docs/binding the tests have not had from a server, and what
// they have had that docs/binding does not list.
func missing() []string {
	page, err := codesPage()
	if err != nil {
		return []string{err.Error()}
	}
	seen.Lock()
	defer seen.Unlock()
	var wrong []string
	codes := bindingCodes(page)
	for _, code := range codes {
		if !seen.what[code] {
			wrong = append(wrong, code+" is in docs/binding, and no test provokes it")
		}
	}
	for _, code := range slices.Sorted(maps.Keys(seen.what)) {
		where, what, _ := strings.Cut(code, " ")
		// Without control frames every refusal is a RUN_ERROR, and so is what ends a run.
		listed := slices.Contains(codes, code) || where == "RUN_ERROR" && slices.Contains(codes, "ws.error "+what) ||
			where == "stream" && slices.Contains(codes, "RUN_ERROR "+what)
		if !listed {
			wrong = append(wrong, code+" came from a server, and docs/binding does not list it")
		}
	}
	return wrong
}

// misshapen are the control frames that the tests have had from servers and that do
// not fit their schema.
func misshapen() []string {
	seen.Lock()
	defer seen.Unlock()
	return slices.Sorted(maps.Keys(seen.wrong))
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

// holdToBinding ends the process of the tests: whatever docs/binding lists, one of
// them must have provoked, and every control frame of a server fits its schema.
func holdToBinding(code int) {
	wrong := misshapen()
	if everything() {
		wrong = append(wrong, missing()...)
	}
	for _, what := range wrong {
		if code == 0 {
			code = 1
		}
		fmt.Println("FAIL:", what)
	}
	os.Exit(code)
}
