package adapter

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
)

// Parallel calls the branches at once and waits for all of them. Each gets a
// Run of its own, which numbers its steps and ids itself, so that a replay is
// right whatever the order in which they end. The error joins those of the
// branches, in their order. Ask is not possible inside: gather the questions
// and ask once afterwards.
//
// Events of a branch appear when its next step or the branch itself ends.
func Parallel(ctx context.Context, run *Run, branches ...func(ctx context.Context, run *Run) error) error {
	x := run.x
	scopes, err := run.fork(len(branches))
	if err != nil {
		return err
	}
	errs := make([]error, len(branches))
	var wg sync.WaitGroup
	for i, branch := range branches {
		wg.Go(func() {
			errs[i] = x.branch(ctx, scopes[i], branch)
		})
	}
	wg.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.forks--
	run.s.forked = false
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

// fork journals that the branches begin: what was emitted before them is final
// from then on.
func (r *Run) fork(n int) ([]*scope, error) {
	x, s := r.x, r.s
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
			return nil, x.seal(&DivergedError{Journaled: recorded.String(), Replayed: "Parallel " + key})
		}
		if recorded.Branches != n {
			return nil, x.seal(&DivergedError{
				Journaled: fmt.Sprintf("%s of %d branches", recorded, recorded.Branches), Replayed: fmt.Sprintf("one of %d", n),
			})
		}
		s.cursor++
	} else if err := x.record(s, &store.JournalEntry{Kind: store.EntryFork, Scope: s.name, Key: key, Branches: n}); err != nil {
		return nil, err
	}
	x.forks++
	s.forked = true
	scopes := make([]*scope, n)
	for i := range scopes {
		name := key + "/" + strconv.Itoa(i)
		if s.name != "" {
			name = s.name + "/" + name
		}
		scopes[i] = newScope(x.journal, name, true)
		scopes[i].keys = name + "/"
	}
	return scopes, nil
}

// branch calls one branch and journals that it has returned, with what it
// emitted last.
func (x *execution) branch(ctx context.Context, s *scope, fn func(context.Context, *Run) error) (err error) {
	err = panics.Contain(func() error { return fn(inside(ctx, "branch "+s.name), &Run{x, s}) })
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.sealed != nil {
		return x.sealed
	}
	if x.leaving { // it may have returned because it was refused something
		return errHandBack
	}
	if p := (*panics.Error)(nil); errors.As(err, &p) {
		return err
	}
	if recorded := s.next(); recorded != nil {
		if recorded.Kind != store.EntryBranch {
			return x.seal(&DivergedError{Journaled: recorded.String(), Replayed: "the end of branch " + s.name})
		}
		s.cursor++
		return err
	}
	if recorded := x.record(s, &store.JournalEntry{Kind: store.EntryBranch, Scope: s.name}); recorded != nil {
		return recorded
	}
	return err
}
