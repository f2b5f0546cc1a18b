package adapter

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// othersTimeout bounds one question after other nodes. Steps wait for the first
	// answer.
	othersTimeout = 2 * time.Second
	// othersPause is how long others must have been there to be counted on: of nodes
	// that are told to end at the same time none can count on another. From then on
	// the pauses between two questions double, up to othersPace.
	othersPause = 100 * time.Millisecond
	othersPace  = time.Second
)

// others is what a draining runner knows of other nodes.
type others struct {
	takers atomic.Pointer[map[string]bool] // agents whose runs another node takes; nil: not known
	known  chan struct{}                   // closed when that was asked
}

// offer makes known that this node takes runs of its agents. On a store that dies with
// the process nobody could see it.
func (r *Runner) offer() {
	if !r.store.Durable() {
		return
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
	defer cancel()
	if err := r.store.Offer(ctx, r.agentNames()); err != nil {
		r.log.Warn("other nodes may not see yet that this one takes runs", "error", err)
	}
}

func (r *Runner) agentNames() []string {
	names := make([]string, 0, len(r.agents))
	for name := range r.agents {
		names = append(names, name)
	}
	return names
}

// handsBack reports whether a run of the agent is to be left to others: the runner
// drains, and some node takes it, or nobody knows whether one does. It waits until
// that was asked.
func (r *Runner) handsBack(ctx context.Context, agent string) bool {
	if !r.draining() || !r.store.Durable() {
		return false
	}
	select {
	case <-r.others.known:
	case <-ctx.Done():
		return false // the run is over for this worker in any case
	}
	takers := r.others.takers.Load()
	return takers == nil || (*takers)[agent]
}

// withdraw makes known that this node takes no more runs.
func (r *Runner) withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, othersTimeout)
	defer cancel()
	return r.store.Offer(ctx, nil)
}

// lookAround asks of which agents others take runs. They have to see first that this
// node takes none: else two that look at the same time would both find somebody.
func (r *Runner) lookAround(ctx context.Context) (*map[string]bool, error) {
	if err := r.withdraw(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, othersTimeout)
	defer cancel()
	names := r.agentNames()
	takers, err := r.store.Takers(ctx, names)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for i, n := range takers {
		if n > 0 {
			taken[names[i]] = true
		}
	}
	return &taken, nil
}

// watchOthers keeps r.others until ctx ends: nodes come and go.
func (r *Runner) watchOthers(ctx context.Context) {
	known := sync.OnceFunc(func() { close(r.others.known) })
	defer known()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for wait := othersPause; ; wait = min(2*wait, othersPace) {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		taken, err := r.lookAround(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			r.log.Warn("it is not known whether another node takes runs: they are handed back", "error", err)
		}
		if taken == nil || len(*taken) == 0 || wait > othersPause {
			r.others.takers.Store(taken)
			known()
		}
		pause.Reset(wait)
	}
}
