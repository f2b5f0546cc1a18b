package storetest

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// ledger is which tests have run, by their names as Go writes them.
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
		ledger.ran[t.Name()] = true
	})
}

// Behaviour is one in words, and the test that shows it, which must call Ran, or a
// subtest of it. Without a test it is a subtest of that name.
type Behaviour struct {
	Name string
	Test func(*testing.T)
}

// Contract are the behaviours that Run shows.
func Contract() []Behaviour {
	var all []Behaviour
	for _, g := range groups {
		for _, tt := range g.tests {
			all = append(all, Behaviour{Name: g.name + "/" + tt.name})
		}
	}
	return all
}

// Keep returns m with a Run that fails when a package was tested as a whole and a
// behaviour was shown by no test that ran. One that was skipped says why itself.
func Keep(m interface{ Run() int }, behaviours []Behaviour) interface{ Run() int } {
	return &keeper{m, behaviours}
}

type keeper struct {
	m          interface{ Run() int }
	behaviours []Behaviour
}

func (k *keeper) Run() int {
	code := k.m.Run()
	if code != 0 || testing.Short() || flagged("test.run") || flagged("test.skip") || flagged("test.list") || flagged("test.fuzz") {
		return code
	}
	missing := k.missing()
	for _, name := range missing {
		fmt.Fprintf(os.Stderr, "no test was run that shows: %s\n", name)
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

// missing are the behaviours that no test has shown.
func (k *keeper) missing() (missing []string) {
	ledger.Lock()
	defer ledger.Unlock()
	for _, b := range k.behaviours {
		if !b.shown(ledger.ran) {
			missing = append(missing, b.Name)
		}
	}
	return missing
}

func (b Behaviour) shown(ran map[string]bool) bool {
	subtest := "/" + strings.ReplaceAll(b.Name, " ", "_")
	test := ""
	if b.Test != nil {
		test = runtime.FuncForPC(reflect.ValueOf(b.Test).Pointer()).Name()
		test = test[strings.LastIndexByte(test, '.')+1:]
	}
	for name := range ran {
		if b.Test == nil && strings.HasSuffix(name, subtest) || b.Test != nil && (name == test || strings.HasPrefix(name, test+"/")) {
			return true
		}
	}
	return false
}
