package carry

import (
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
)

// ActiveRuns are those that this node carries.
type ActiveRuns struct {
	*node.Node

	mu   sync.Mutex
	Runs map[string]*execution.Activation // by server-made run id
}

// track registers a run; false when the runner is shut down.
func (a *ActiveRuns) track(x *execution.Activation) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Ctx.Err() != nil {
		return false
	}
	a.Runs[x.Claim.RunID] = x
	return true
}

func (a *ActiveRuns) untrack(x *execution.Activation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.Runs[x.Claim.RunID] == x {
		delete(a.Runs, x.Claim.RunID)
	}
}

// Carries is the thread's run that this node carries, as far as it knows; nil: none.
func (a *ActiveRuns) Carries(key store.ThreadKey) *execution.Activation {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.Runs {
		if x.Claim.Thread == key && x.Ctx.Err() == nil && x.Pipe.Result().End == (store.Position{}) {
			return x
		}
	}
	return nil
}

// Fence ends what this worker still does for a run that was stopped.
func (a *ActiveRuns) Fence(runID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x := a.Runs[runID]; x != nil {
		x.Cancel(adapter.ErrStopped)
	}
}

// FenceThread asks the store whether the thread's run is still this worker's.
func (a *ActiveRuns) FenceThread(key store.ThreadKey) {
	a.mu.Lock()
	var doubted []*execution.Activation
	for _, x := range a.Runs {
		if x.Claim.Thread == key {
			doubted = append(doubted, x)
		}
	}
	a.mu.Unlock()
	for _, x := range doubted {
		a.Background(func() {
			_ = a.Contain("fence", key, func() error { // the lease ends it otherwise
				ctx, cancel := context.WithTimeout(a.Ctx, a.Options.StoreTimeout)
				defer cancel()
				if kept, err := x.Lease.Renew(ctx); err == nil && !kept {
					x.Cancel(adapter.ErrStopped)
				}
				return nil
			})
		})
	}
}
