package runner

import (
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// activeRuns are those that this node carries.
type activeRuns struct {
	*node

	mu   sync.Mutex
	runs map[string]*activation // by server-made run id
}

// track registers a run; false when the runner is shut down.
func (a *activeRuns) track(x *activation) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx.Err() != nil {
		return false
	}
	a.runs[x.claim.RunID] = x
	return true
}

func (a *activeRuns) untrack(x *activation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runs[x.claim.RunID] == x {
		delete(a.runs, x.claim.RunID)
	}
}

// carries is the thread's run that this node carries, as far as it knows; nil: none.
func (a *activeRuns) carries(key store.ThreadKey) *activation {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.runs {
		if x.claim.Thread == key && x.ctx.Err() == nil && x.pipe.result().End == (store.Position{}) {
			return x
		}
	}
	return nil
}

// fence ends what this worker still does for a run that was stopped.
func (a *activeRuns) fence(runID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if x := a.runs[runID]; x != nil {
		x.cancel(adapter.ErrStopped)
	}
}

// fenceThread asks the store whether the thread's run is still this worker's.
func (a *activeRuns) fenceThread(key store.ThreadKey) {
	a.mu.Lock()
	var doubted []*activation
	for _, x := range a.runs {
		if x.claim.Thread == key {
			doubted = append(doubted, x)
		}
	}
	a.mu.Unlock()
	for _, x := range doubted {
		a.background(func() {
			_ = a.contain("fence", key, func() error { // the lease ends it otherwise
				ctx, cancel := context.WithTimeout(a.ctx, a.options.StoreTimeout)
				defer cancel()
				if kept, err := x.lease.renew(ctx); err == nil && !kept {
					x.cancel(adapter.ErrStopped)
				}
				return nil
			})
		})
	}
}
