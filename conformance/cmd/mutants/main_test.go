package main

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/conformance"
)

// Every fault still fits the source, and names cases that there are.
func TestMutantsFit(t *testing.T) {
	mutants, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	if len(mutants) < 15 {
		t.Errorf("%d faults", len(mutants))
	}
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := root(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, m := range mutants {
		if names[m.name] {
			t.Errorf("two faults are named %s", m.name)
		}
		names[m.name] = true
		if _, err := m.apply(dir); err != nil {
			t.Errorf("%s: %v", m.name, err)
		}
		for _, name := range m.red {
			i := slices.IndexFunc(cases, func(c *conformance.Case) bool { return c.Name == name })
			if i < 0 {
				t.Errorf("%s: there is no case %s", m.name, name)
				continue
			}
			for _, over := range m.over {
				if len(cases[i].Over) > 0 && !slices.Contains(cases[i].Over, over) {
					t.Errorf("%s: %s is not tried over %s", m.name, name, over)
				}
			}
		}
	}
}

// No group of cases is one that no fault has shown to be able to fail.
func TestEveryGroupCanFail(t *testing.T) {
	mutants, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	cases, err := conformance.Cases()
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, m := range mutants {
		for _, name := range m.red {
			group, _, _ := strings.Cut(name, "/")
			shown[group] = true
		}
	}
	for _, c := range cases {
		if !shown[c.Group()] {
			t.Errorf("no fault turns a case of the group %s red", c.Group())
			shown[c.Group()] = true
		}
	}
}

func TestUnknownNamesAreRefused(t *testing.T) {
	var out, complaints strings.Builder
	if status := run(t.Context(), []string{"--list", "--only", "every-host,nonsense"}, &out, &complaints); status != 2 || !strings.Contains(complaints.String(), "nonsense") {
		t.Errorf("status %d\n%s%s", status, &out, &complaints)
	}
}

// What was found last is about the faults that there are, and none was missed.
func TestFoundIsCurrent(t *testing.T) {
	mutants, err := parse(list)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("found.txt")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "UNNOTICED") {
		t.Error("found.txt has a fault that nobody noticed")
	}
	for _, m := range mutants {
		if !strings.Contains(string(text), m.name+" ") {
			t.Errorf("found.txt does not have %s: run the command with --record", m.name)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	const edit = "file: f\n<<<\na\n===\nb\n>>>\n"
	for name, text := range map[string]string{
		"no words":      "-- m --\nred: a/b\n" + edit,
		"no change":     "-- m --\nabout: x\nred: a/b\n",
		"nothing red":   "-- m --\nabout: x\n" + edit,
		"both":          "-- m --\nabout: x\nred: a/b\ntest: ./p T\n" + edit,
		"half a test":   "-- m --\nabout: x\ntest: ./p\n" + edit,
		"no file":       "-- m --\nabout: x\nred: a/b\n<<<\na\n===\nb\n>>>\n",
		"odd transport": "-- m --\nabout: x\nred: a/b\nover: pigeon\n" + edit,
		"odd line":      "-- m --\nabout: x\ncolour: red\n" + edit,
	} {
		if _, err := parse(text); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
