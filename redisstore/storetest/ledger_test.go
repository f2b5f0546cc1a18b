package storetest

import (
	"slices"
	"testing"
)

// A behaviour is shown by what ran: neither by what failed, nor by what nobody called.
func TestKeepWantsTestsThatRan(t *testing.T) {
	ledger.Lock()
	known := ledger.ran
	ledger.ran = map[string]bool{"TestSome/Group/what_holds": true, "TestLedger/sub": true}
	ledger.Unlock()
	defer func() {
		ledger.Lock()
		defer ledger.Unlock()
		ledger.ran = known
	}()
	k := &keeper{behaviours: []Behaviour{{Name: "Group/what holds"}, {Name: "what holds"}, {Name: "Group/what was deleted"},
		{"one that another test shows", TestLedger}, {"one whose test nobody ran", TestKeepWantsTestsThatRan}}}
	if missing := k.missing(); !slices.Equal(missing, []string{"Group/what was deleted", "one whose test nobody ran"}) {
		t.Errorf("missing are %q", missing)
	}
}

func TestLedger(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		t.Run("notes that it ran", func(t *testing.T) { Ran(t) })
		ledger.Lock()
		defer ledger.Unlock()
		if !ledger.ran[t.Name()+"/notes_that_it_ran"] {
			t.Error("a test that ran is not noted")
		}
	})
}

// The name of a subtest is all that says what it holds.
func TestBehavioursHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range Contract() {
		if seen[b.Name] {
			t.Errorf("%q twice", b.Name)
		}
		seen[b.Name] = true
	}
}
