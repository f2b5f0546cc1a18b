package storetest

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// elsewhere are the lines that no subtest of Run holds, by the package whose tests
// do: Keep sees to it.
var elsewhere = map[string][]string{
	"adapter": strings.Fields(`M124 M125 M127 M128 M129 M130 M132 M138 M139 M140 M141 M142 M143 M144 M145 M148 M149 M150
		M155 M159 M160 M161 M162 M163 M171 M172 M176 S5 S6 S7 S9 S10 S12 S13 S15 S17 S19 S20 S22
		N3 N6 N8 N9 N12 N13 N14`),
	"redisstore": strings.Fields(`N10 N11`),
}

// ledger is which tests have run, by their names as Go writes them: true, or false
// when they were skipped.
var ledger = struct {
	sync.Mutex
	ran map[string]bool
}{ran: map[string]bool{}}

// Ran notes that a test has run, when it ends and has not failed.
func Ran(t testing.TB) {
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		ledger.Lock()
		defer ledger.Unlock()
		ledger.ran[t.Name()] = ledger.ran[t.Name()] || !t.Skipped()
	})
}

// Held is a test that holds lines under a name of its own. The test, or a subtest
// of it, must call Ran.
type Held struct {
	Name string // begins with the lines
	Test func(*testing.T)
}

// Keep returns m with a Run that fails when a package was tested as a whole and a
// line that it is to hold was held by no test that ran. One that was skipped says
// why itself. A test holds the lines with which its own name begins, or a Held's.
func Keep(m interface{ Run() int }, pkg string, held ...Held) interface{ Run() int } {
	return &keeper{m, pkg, held}
}

type keeper struct {
	m    interface{ Run() int }
	pkg  string
	held []Held
}

func (k *keeper) Run() int {
	code := k.m.Run()
	if code != 0 || testing.Short() || flagged("test.run") || flagged("test.skip") || flagged("test.list") || flagged("test.fuzz") {
		return code
	}
	missing := k.missing()
	for _, line := range missing {
		fmt.Fprintf(os.Stderr, "%s: no test of package %s that has its name was run\n", line, k.pkg)
	}
	if missing != nil {
		return 1
	}
	return code
}

func flagged(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != ""
}

// missing are the lines that the package is to hold and that no test has held.
func (k *keeper) missing() (missing []string) {
	ledger.Lock()
	defer ledger.Unlock()
	seen := map[string]bool{}
	for name := range ledger.ran {
		for _, part := range strings.Split(name, "/") {
			for _, line := range linesOf(strings.ReplaceAll(part, "_", " ")) {
				seen[line] = true
			}
		}
	}
	for _, h := range k.held {
		name := runtime.FuncForPC(reflect.ValueOf(h.Test).Pointer()).Name()
		name = name[strings.LastIndexByte(name, '.')+1:]
		for ran := range ledger.ran {
			if ran == name || strings.HasPrefix(ran, name+"/") {
				for _, line := range linesOf(h.Name) {
					seen[line] = true
				}
			}
		}
	}
	for _, line := range k.lines() {
		if !seen[line] {
			missing = append(missing, line)
		}
	}
	return missing
}

// lines are those that the package is to hold; for the one that runs the contract
// they are those of the contract too.
func (k *keeper) lines() []string {
	lines := slices.Clone(elsewhere[k.pkg])
	if k.pkg == "redisstore" {
		for _, g := range groups {
			for _, tt := range g.tests {
				lines = append(lines, linesOf(tt.name)...)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

var named = regexp.MustCompile(`^((?:[MSRN]\d+ )+)\S`)

// linesOf are the lines with which a test's name begins.
func linesOf(name string) []string {
	if m := named.FindStringSubmatch(name); m != nil {
		return strings.Fields(m[1])
	}
	return nil
}
