package runner

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Shutdown stops admitting and claiming. On a durable store a run is handed back
// at its next step (but for one that GoesOn) if another node takes runs of its agent, or
// if that cannot be found out. All others go on; when ctx ends those that are left are handed back
// where they are, so that another node takes them over. An agent that then does not
// return is left behind with an error. It may be called twice.
func (r *Runner) Shutdown(ctx context.Context) error {
	r.mu.Lock()
	first := !r.stopping.Swap(true)
	r.mu.Unlock()
	looking, enough := context.WithCancel(ctx)
	defer enough()
	var watching sync.WaitGroup
	if first {
		close(r.node.quiet)
		if r.store.Durable() {
			_ = r.presence.withdraw(ctx) // or watchOthers does
			watching.Go(func() { r.presence.watchOthers(looking) })
		}
	}
	r.parking.dismissAll()
	r.sweeper.over.Wait()
	r.capacity.giveBackAll(ctx)
	var err error
	select {
	case <-r.running.done():
	case <-ctx.Done():
		err = ctx.Err()
	}
	enough()
	watching.Wait()
	r.mu.Lock()
	r.cancel(errHandBack)
	r.mu.Unlock()
	grace := time.NewTimer(r.options.StoreTimeout)
	defer grace.Stop()
	select {
	case <-r.running.done():
		return err
	case <-grace.C:
		return errors.New("adapter: an agent did not return after its context had ended")
	}
}
