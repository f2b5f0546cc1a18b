package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aguiws/aguiws/conformance"
)

// tree is a copy of the module, in which faults are put.
type tree struct {
	dir   string
	cases []*conformance.Case
}

// found is what turned red for a fault, and what should have.
type found struct{ red, missed []string }

// copyTree copies what git knows of the module, as it lies in the work tree.
func copyTree(ctx context.Context) (*tree, error) {
	from, err := root(ctx)
	if err != nil {
		return nil, err
	}
	list := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = from
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	t := &tree{}
	if t.cases, err = conformance.Cases(); err != nil {
		return nil, err
	}
	if t.dir, err = os.MkdirTemp("", "mutants"); err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(string(names), "\x00") {
		path := filepath.Join(from, name)
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue // deleted and not yet committed, or a link to what is not ours
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = t.write(name, text)
		}
		if err != nil {
			os.RemoveAll(t.dir)
			return nil, err
		}
	}
	return t, nil
}

func (t *tree) write(name string, text []byte) error {
	path := filepath.Join(t.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o666)
}

// green tries everything on the copy as it is.
func (t *tree) green(ctx context.Context, mutants []*mutant, progress io.Writer) error {
	all := &mutant{}
	for _, m := range mutants {
		all.red, all.over = append(all.red, m.red...), append(all.over, m.over...)
	}
	slices.Sort(all.red)
	slices.Sort(all.over)
	all.red, all.over = slices.Compact(all.red), slices.Compact(all.over)
	fmt.Fprintln(progress, "mutants: without a fault first")
	if len(all.red) > 0 {
		got, err := t.judge(ctx, all)
		if err != nil {
			return err
		}
		if len(got.red) > 0 {
			return fmt.Errorf("red without any fault: %s", strings.Join(got.red, ", "))
		}
	}
	for _, m := range mutants {
		if m.test != nil {
			if out, err := t.test(ctx, m); err != nil {
				return fmt.Errorf("red without any fault: %v\n%s", m.test, out)
			}
		}
	}
	return nil
}

// try puts a fault in, and takes it out again.
func (t *tree) try(ctx context.Context, m *mutant) (f found, err error) {
	changed, err := m.apply(t.dir)
	if err != nil {
		return f, err
	}
	before := map[string][]byte{}
	for name, text := range changed {
		if before[name], err = os.ReadFile(filepath.Join(t.dir, name)); err != nil {
			return f, err
		}
		if err := t.write(name, text); err != nil {
			return f, err
		}
	}
	defer func() {
		for name, text := range before {
			err = errors.Join(err, t.write(name, text))
		}
	}()
	if m.test == nil {
		return t.judge(ctx, m)
	}
	name := strings.Join(m.test, " ")
	out, failed := t.test(ctx, m)
	switch {
	case failed == nil:
		f.missed = []string{name}
	case !strings.Contains(out, "--- FAIL") && !strings.Contains(out, "AssertionError"):
		return f, fmt.Errorf("the test did not even begin: %s", out)
	default:
		f.red = []string{name}
	}
	return f, nil
}

func (t *tree) test(ctx context.Context, m *mutant) (string, error) {
	if m.test[0] == unitTests {
		return t.unitTest(ctx, m.test[1])
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-vet=off", "-count=1", "-timeout=120s", "-run", m.test[1], m.test[0])
	cmd.Dir = t.dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// unitTests is the folder whose unit tests vitest runs.
const unitTests = "web"

func (t *tree) unitTest(ctx context.Context, file string) (string, error) {
	from, err := root(ctx)
	if err != nil {
		return "", err
	}
	modules := filepath.Join(t.dir, unitTests, "node_modules")
	if err := os.Symlink(filepath.Join(from, unitTests, "node_modules"), modules); err != nil && !errors.Is(err, os.ErrExist) {
		return "", err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "vitest"), "run", file)
	cmd.Dir = filepath.Join(t.dir, unitTests)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// judge builds the server, starts it and holds it to the cases.
func (t *tree) judge(ctx context.Context, m *mutant) (f found, err error) {
	binary := filepath.Join(t.dir, "mutant")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, ".")
	build.Dir = t.dir
	if out, err := build.CombinedOutput(); err != nil {
		return f, fmt.Errorf("it does not compile: %s", out)
	}
	effects := filepath.Join(t.dir, "effects")
	args := []string{"--effects", effects}
	target := conformance.Target{Timeout: 3 * time.Second, Effects: effects}
	if m.restarts(t.cases) {
		redis, stop, err := startRedis(ctx, t.dir)
		if err != nil {
			return f, err
		}
		defer stop()
		args = append(args, "--redis", redis, "--lease", "1s")
		target.Timeout = 10 * time.Second
	}
	server, err := serve(ctx, binary, args...)
	if err != nil {
		return f, err
	}
	defer func() { server.kill() }()
	target.Restart, target.Drain = server.restart, server.drain
	cases, err := conformance.Select(t.cases, m.red, nil)
	if err != nil {
		return f, err
	}
	for _, over := range m.over {
		target.Over, target.URL = over, "ws://"+server.address+"/agui/ws"
		switch over {
		case conformance.SSE:
			target.URL = "http://" + server.address + "/agui"
		case conformance.CopilotKit:
			target.URL = "http://" + server.address + "/copilotkit"
		}
		for _, r := range conformance.Run(ctx, target, cases, nil) {
			name := r.Case.Name + " over " + over
			if r.Status == conformance.Failed {
				f.red = append(f.red, name)
			} else {
				f.missed = append(f.missed, name)
			}
		}
	}
	return f, ctx.Err()
}
