package runner

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/execution"
)

// Shutdown stops admitting and claiming. On a durable store a run is handed back
// at its next step (but for one with KeepOnDrain) if another node takes runs of its agent, or
// if that cannot be found out. All others go on; when ctx ends those that are left are handed back
// where they are, so that another node takes them over. An agent that then does not
// return is left behind with an error. It may be called twice.
func (r *Runner) Shutdown(ctx context.Context) error {
	r.node.Mu.Lock()
	first := !r.node.Stopping.Swap(true)
	r.node.Mu.Unlock()
	looking, enough := context.WithCancel(ctx)
	defer enough()
	var watching sync.WaitGroup
	if first {
		close(r.node.Quiet)
		if r.node.Store.Durable() {
			_ = r.presence.Withdraw(ctx) // or watchOthers does
			watching.Go(func() { r.presence.WatchOthers(looking) })
		}
	}
	r.parking.DismissAll()
	r.sweeper.Over.Wait()
	r.capacity.GiveBackAll(ctx)
	var err error
	select {
	case <-r.node.Running.Done():
	case <-ctx.Done():
		err = ctx.Err()
	}
	enough()
	watching.Wait()
	r.node.Mu.Lock()
	r.node.Cancel(execution.ErrHandBack)
	r.node.Mu.Unlock()
	grace := time.NewTimer(r.node.Options.StoreTimeout)
	defer grace.Stop()
	select {
	case <-r.node.Running.Done():
		return err
	case <-grace.C:
		return errors.New("adapter: an agent did not return after its context had ended")
	}
}
