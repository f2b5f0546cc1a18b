package storetest

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// required are the behaviours that this project is held to, by family.
var required = map[string][][2]int{
	"M": {{1, 65}, {105, 182}},
	"S": {{1, 22}},
	"R": {{1, 9}},
	"N": {{1, 15}},
}

var apart = regexp.MustCompile(`^//\t((?:[MSRN]\d+(?:-[MSRN]?\d+)?,? ?)+?) +(\S.*)$`)

// Every line is held by a subtest of Run that has its name, or by a test of another
// package, which Keep sees to, or stands in doc.go's table of those that cannot
// apply; and none in two of them.
func TestEveryLineIsHeldOrDoesNotApply(t *testing.T) {
	held := map[string][]string{}
	for _, g := range groups {
		for _, tt := range g.tests {
			for _, line := range linesOf(tt.name) {
				held[line] = append(held[line], g.name+": "+tt.name)
			}
		}
	}
	for pkg, lines := range elsewhere {
		for _, line := range lines {
			if held[line] != nil {
				t.Errorf("%s: held by %q, and yet package %s is to hold it", line, held[line], pkg)
			}
			held[line] = append(held[line], pkg)
		}
	}
	table := linesApart(t)
	for family, ranges := range required {
		for _, r := range ranges {
			for n := r[0]; n <= r[1]; n++ {
				line := family + strconv.Itoa(n)
				switch why := table[line]; {
				case held[line] == nil && why == "":
					t.Errorf("%s: no test holds it, and doc.go does not say why it cannot apply", line)
				case held[line] != nil && why != "":
					t.Errorf("%s: held by %q, and yet doc.go says: %s", line, held[line], why)
				}
				delete(table, line)
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(table)) {
		t.Errorf("%s: doc.go sets apart what nobody asks for", line)
	}
}

// A line is held by what ran: neither by what failed, nor by what nobody called.
func TestKeepWantsTestsThatRan(t *testing.T) {
	before := elsewhere
	defer func() { elsewhere = before }()
	elsewhere = map[string][]string{"some": {"M1", "M2", "M3", "M4", "M5"}}
	ledger.Lock()
	known := ledger.ran
	ledger.ran = map[string]bool{"TestSome/M1_M2_what_holds": true, "TestSome/M3_was_skipped": false, "TestHolds/sub": true}
	ledger.Unlock()
	defer func() {
		ledger.Lock()
		defer ledger.Unlock()
		ledger.ran = known
	}()
	k := &keeper{pkg: "some", held: []Held{{"M4 by another name", TestHolds}, {"M5 by one that nobody ran", TestKeepWantsTestsThatRan}}}
	if missing := k.missing(); !slices.Equal(missing, []string{"M5"}) {
		t.Errorf("missing are %q", missing)
	}
}

func TestHolds(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		t.Run("notes that it ran", func(t *testing.T) { Ran(t) })
		ledger.Lock()
		defer ledger.Unlock()
		if !ledger.ran[t.Name()+"/notes_that_it_ran"] {
			t.Error("a test that ran is not noted")
		}
	})
}

// linesApart reads doc.go's table.
func linesApart(t *testing.T) map[string]string {
	f, err := os.Open("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	table := map[string]string{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		m := apart.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		for _, span := range strings.Split(strings.ReplaceAll(m[1], " ", ""), ",") {
			first, last, isRange := strings.Cut(span, "-")
			from, err := strconv.Atoi(first[1:])
			to := from
			if isRange && err == nil {
				to, err = strconv.Atoi(strings.TrimLeft(last, "MSRN"))
			}
			if err != nil || to < from {
				t.Fatalf("doc.go: %s", lines.Text())
			}
			for n := from; n <= to; n++ {
				line := fmt.Sprint(first[:1], n)
				if table[line] != "" {
					t.Errorf("doc.go sets %s apart twice", line)
				}
				table[line] = m[2]
			}
		}
	}
	return table
}
