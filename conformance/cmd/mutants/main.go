// Command mutants shows that the tests can fail: it puts deliberate faults into a
// copy of this module, one at a time, and says which of them the conformance harness
// or a test finds.
//
//	go run ./conformance/cmd/mutants [--only NAME,… | --gate] [--list] [--record FILE]
//
// The faults are data, mutants.txtar: a piece of source that is replaced, and the
// cases or the test that must turn red. Before them the same cases and tests are tried
// on the copy as it is, and must be green; --gate leaves that to the gate. Those that need restarts need redis-server. It exits with 1 if a fault stays unnoticed.
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed mutants.txtar
var list string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with its surroundings, and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "names of faults, separated by commas (default: all)")
	gate := flags.Bool("gate", false, "try only the faults that the gate tries, and nothing without a fault first")
	names := flags.Bool("list", false, "list the faults and end")
	record := flags.String("record", "", "file to which the table is written; lines of faults that are not tried stay")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	complain := func(err error) int {
		fmt.Fprintf(stderr, "mutants: %v\n", err)
		return 2
	}
	mutants, err := parse(list)
	if err != nil {
		return complain(err)
	}
	if *only != "" {
		wanted := strings.Split(*only, ",")
		for _, name := range wanted {
			if !slices.ContainsFunc(mutants, func(m *mutant) bool { return m.name == name }) {
				return complain(fmt.Errorf("no fault is named %q; --list lists them", name))
			}
		}
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return !slices.Contains(wanted, m.name) })
	}
	if *gate {
		mutants = slices.DeleteFunc(mutants, func(m *mutant) bool { return !m.gate })
	}
	if *names {
		for _, m := range mutants {
			fmt.Fprintf(stdout, "%-28s %s\n", m.name, m.about)
		}
		return 0
	}
	tree, err := copyTree(ctx)
	if err != nil {
		return complain(err)
	}
	defer os.RemoveAll(tree.dir)
	if !*gate { // the gate has just run them
		if err := tree.green(ctx, mutants, stderr); err != nil {
			return complain(err)
		}
	}
	lines := map[string]string{}
	survivors := 0
	for _, m := range mutants {
		found, err := tree.try(ctx, m)
		verdict := "red"
		switch {
		case ctx.Err() != nil:
			return complain(ctx.Err())
		case err != nil:
			verdict = "UNNOTICED, because it could not be tried: " + err.Error()
			survivors++
		case len(found.missed) > 0:
			verdict = "UNNOTICED by " + strings.Join(found.missed, ", ")
			survivors++
		}
		line := fmt.Sprintf("%-28s %s: %s\n", m.name, verdict, strings.Join(found.red, ", "))
		fmt.Fprint(stdout, line)
		lines[m.name] = line
	}
	fmt.Fprintf(stdout, "%d faults, %d unnoticed\n", len(mutants), survivors)
	if *record != "" {
		if err := keep(*record, lines); err != nil {
			return complain(err)
		}
	}
	if survivors > 0 {
		return 1
	}
	return 0
}

// keep writes a line for each fault, in the list's order. Those of faults that were
// not tried now stay as the file has them.
func keep(file string, lines map[string]string) error {
	before, err := os.ReadFile(file)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for line := range strings.Lines(string(before)) {
		if name, _, _ := strings.Cut(line, " "); lines[name] == "" {
			lines[name] = line
		}
	}
	mutants, err := parse(list)
	if err != nil {
		return err
	}
	var table strings.Builder
	for _, m := range mutants {
		table.WriteString(lines[m.name])
	}
	return os.WriteFile(file, []byte(table.String()), 0o666)
}

// root is the folder of the module.
func root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
