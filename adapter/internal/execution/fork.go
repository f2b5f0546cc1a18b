package execution

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
)

// Fork journals that the branches begin: what was emitted before them is final
// from then on.
func (l *line) Fork(n int) ([]adapter.Execution, error) {
	x, s := l.x, l.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.refusal(s); err != nil {
		return nil, err
	}
	if s.step != "" {
		return nil, fmt.Errorf("adapter: Parallel inside step %s: %w", s.step, errInside)
	}
	key := s.number("fork")
	if recorded := s.next(); recorded != nil {
		if recorded.Kind != store.EntryFork || recorded.Key != key {
			return nil, x.seal(&adapter.DivergedError{Journaled: recorded.String(), Replayed: "Parallel " + key})
		}
		if recorded.Branches != n {
			return nil, x.seal(&adapter.DivergedError{
				Journaled: fmt.Sprintf("%s of %d branches", recorded, recorded.Branches), Replayed: fmt.Sprintf("one of %d", n),
			})
		}
		s.cursor++
	} else if err := x.record(s, &store.JournalEntry{Kind: store.EntryFork, Scope: s.name, Key: key, Branches: n}); err != nil {
		return nil, err
	}
	x.forks++
	s.forked = true
	lines := make([]adapter.Execution, n)
	for i := range lines {
		name := key + "/" + strconv.Itoa(i)
		if s.name != "" {
			name = s.name + "/" + name
		}
		branch := newScope(x.journal, name, true)
		branch.keys = name + "/"
		lines[i] = &line{x, branch}
	}
	return lines, nil
}

// Branch calls one branch and journals that it has returned, with what it
// emitted last.
func (l *line) Branch(ctx context.Context, fn func(context.Context) error) (err error) {
	x, s := l.x, l.s
	err = panics.Contain(func() error { return fn(inside(ctx, "branch "+s.name)) })
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sealed != nil {
		return x.sealed
	}
	if x.leaving { // it may have returned because it was refused something
		return ErrHandBack
	}
	if p := (*panics.Error)(nil); errors.As(err, &p) {
		return err
	}
	if recorded := s.next(); recorded != nil {
		if recorded.Kind != store.EntryBranch {
			return x.seal(&adapter.DivergedError{Journaled: recorded.String(), Replayed: "the end of branch " + s.name})
		}
		s.cursor++
		return err
	}
	if recorded := x.record(s, &store.JournalEntry{Kind: store.EntryBranch, Scope: s.name}); recorded != nil {
		return recorded
	}
	return err
}

func (l *line) Join(errs []error) error {
	x := l.x
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forks--
	l.s.forked = false
	if x.sealed != nil {
		return x.sealed
	}
	for _, err := range errs {
		if p := (*panics.Error)(nil); errors.As(err, &p) {
			return err
		}
	}
	return errors.Join(errs...)
}
