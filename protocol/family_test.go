package protocol

import "testing"

// TestEffects fails when an event is added that EffectOf does not have, and when
// a family opens what nothing ends.
func TestEffects(t *testing.T) {
	verbs := map[Family]map[Verb]bool{}
	for name, k := range kinds {
		x := EffectOf(k.make())
		if x.Verb == Unlisted {
			t.Errorf("%s has no case in EffectOf", name)
		}
		if key, item := x.Item(); item && key.Family != x.Family {
			t.Errorf("%s is about %v", name, key)
		}
		if verbs[x.Family] == nil {
			verbs[x.Family] = map[Verb]bool{}
		}
		verbs[x.Family][x.Verb] = true
	}
	for family, does := range verbs {
		if does[Opens] != does[Ends] {
			t.Errorf("family %d opens: %v, ends: %v", family, does[Opens], does[Ends])
		}
		if !does[Opens] || family == FamilyRun || family == FamilySubagent {
			continue
		}
		owner := "s"
		x := EffectOf(EndOf(family, "i", &owner))
		if x.Family != family || x.Verb != Ends || *x.ID != "i" || *x.Owner != owner {
			t.Errorf("family %d is ended by %+v", family, x)
		}
	}
}

func TestStepsAreOfTheirOwners(t *testing.T) {
	none := ""
	own, _ := EffectOf(&StepStarted{StepName: "a"}).Item()
	other, _ := EffectOf(&StepFinished{Attributed: Attributed{&none}, StepName: "a"}).Item()
	if own == other {
		t.Error("a step of the parent agent is one of the subagent without a name")
	}
	if _, item := EffectOf(&RunError{}).Item(); item {
		t.Error("a RUN_ERROR names an item")
	}
}
