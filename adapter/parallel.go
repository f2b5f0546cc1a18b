package adapter

import (
	"context"
	"sync"
)

// Parallel calls the branches at once and waits for all of them. Each gets a
// Run of its own, which numbers its steps and ids itself, so that a replay is
// right whatever the order in which they end. The error joins those of the
// branches, in their order. Ask is not possible inside: gather the questions
// and ask once afterwards.
//
// Events of a branch appear when its next step or the branch itself ends.
func Parallel(ctx context.Context, run *Run, branches ...func(ctx context.Context, run *Run) error) error {
	lines, err := run.x.Fork(len(branches))
	if err != nil {
		return err
	}
	errs := make([]error, len(branches))
	var wg sync.WaitGroup
	for i, branch := range branches {
		wg.Go(func() {
			errs[i] = lines[i].Branch(ctx, func(ctx context.Context) error { return branch(ctx, NewRun(lines[i])) })
		})
	}
	wg.Wait()
	return run.x.Join(errs)
}
