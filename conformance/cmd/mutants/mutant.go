package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aguiws/aguiws/conformance"
)

// mutant is one deliberate fault.
type mutant struct {
	name, about string
	red         []string // cases of the harness
	over        []string // transports
	test        []string // package and pattern of a test, or web and a file of its unit tests
	gate        bool     // the gate tries it
	edits       []edit
}

// edit replaces a piece of a file, which must be there once.
type edit struct{ file, old, new string }

// parse reads mutants.txtar.
func parse(text string) ([]*mutant, error) {
	var all []*mutant
	var m *mutant
	var file string
	var into *string
	for i, line := range strings.Split(text, "\n") {
		switch {
		case into != nil && line == "===":
			into = &m.edits[len(m.edits)-1].new
		case into != nil && line == ">>>":
			into = nil
		case into != nil:
			*into += line + "\n"
		case strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --"):
			m, file = &mutant{name: strings.TrimSuffix(strings.TrimPrefix(line, "-- "), " --")}, ""
			all = append(all, m)
		case m == nil || line == "":
		case line == "<<<":
			if file == "" {
				return nil, fmt.Errorf("line %d: in which file? add a line \"file: …\"", i+1)
			}
			m.edits = append(m.edits, edit{file: file})
			into = &m.edits[len(m.edits)-1].old
		default:
			name, value, ok := strings.Cut(line, ":")
			value = strings.TrimSpace(value)
			switch {
			case ok && name == "about":
				m.about = value
			case ok && name == "red":
				m.red = strings.Fields(value)
			case ok && name == "over":
				m.over = strings.Fields(value)
			case ok && name == "gate" && value == "yes":
				m.gate = true
			case ok && name == "test":
				m.test = strings.Fields(value)
			case ok && name == "file":
				file = value
			default:
				return nil, fmt.Errorf("line %d: %q is nothing that a fault has", i+1, line)
			}
		}
	}
	for _, m := range all {
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
	}
	return all, nil
}

func (m *mutant) check() error {
	if len(m.over) == 0 {
		m.over = []string{conformance.Binding}
	}
	for _, over := range m.over {
		if !slices.Contains(conformance.Transports, over) {
			return fmt.Errorf("no transport is named %q", over)
		}
	}
	switch {
	case m.about == "":
		return fmt.Errorf("what is it about?")
	case len(m.edits) == 0:
		return fmt.Errorf("it changes nothing")
	case (len(m.red) > 0) == (len(m.test) > 0):
		return fmt.Errorf("it names cases or a test that must turn red")
	case len(m.test) != 0 && len(m.test) != 2:
		return fmt.Errorf("a test is a package and a pattern")
	}
	return nil
}

// restarts reports whether one of the cases replaces the server's process, which
// needs a store that outlives it.
func (m *mutant) restarts(cases []*conformance.Case) bool {
	return slices.ContainsFunc(cases, func(c *conformance.Case) bool {
		return slices.Contains(m.red, c.Name) && (slices.Contains(c.Needs, "restart") || slices.Contains(c.Needs, "drain"))
	})
}

// apply returns the files as the fault makes them, for a tree.
func (m *mutant) apply(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, e := range m.edits {
		text, there := files[e.file]
		if !there {
			var err error
			if text, err = os.ReadFile(filepath.Join(dir, e.file)); err != nil {
				return nil, err
			}
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			return nil, fmt.Errorf("%s holds the piece %d times, and it must be once: the source has changed, so must mutants.txtar\n%s", e.file, n, e.old)
		}
		files[e.file] = []byte(strings.Replace(string(text), e.old, e.new, 1))
	}
	return files, nil
}
