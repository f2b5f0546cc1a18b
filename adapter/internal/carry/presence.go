package carry

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/node"
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

// Presence is what nodes know of each other: which agents' runs this one takes, and
// once it drains which of them others take.
type Presence struct {
	*node.Node
	takers atomic.Pointer[map[string]bool] // agents whose runs another node takes; nil: not known
	Known  chan struct{}                   // closed when that was asked
}

// Offer makes known that this node takes runs of its agents. On a store that dies with
// the process nobody could see it.
func (p *Presence) Offer() {
	if !p.Store.Durable() {
		return
	}
	ctx, cancel := context.WithTimeout(p.Ctx, p.Options.StoreTimeout)
	defer cancel()
	if err := p.Store.Offer(ctx, p.Agents); err != nil {
		p.Log.Warn("this node takes runs, and other nodes may not see that yet", "error", err)
	}
}

// handsBack reports whether a run of the agent is to be left to others: the runner
// drains, and some node takes it, or nobody knows whether one does. It waits until
// that was asked.
func (p *Presence) handsBack(ctx context.Context, agent string) bool {
	if !p.Draining() || !p.Store.Durable() {
		return false
	}
	select {
	case <-p.Known:
	case <-ctx.Done():
		return false // the run is over for this worker in any case
	}
	takers := p.takers.Load()
	return takers == nil || (*takers)[agent]
}

// Withdraw makes known that this node takes no more runs.
func (p *Presence) Withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, othersTimeout)
	defer cancel()
	return p.Store.Offer(ctx, nil)
}

// lookAround asks of which agents others take runs. They have to see first that this
// node takes none: else two that look at the same time would both find somebody.
func (p *Presence) lookAround(ctx context.Context) (*map[string]bool, error) {
	if err := p.Withdraw(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, othersTimeout)
	defer cancel()
	takers, err := p.Store.Takers(ctx, p.Agents)
	if err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	for i, n := range takers {
		if n > 0 {
			taken[p.Agents[i]] = true
		}
	}
	return &taken, nil
}

// WatchOthers asks again and again until ctx ends: nodes come and go.
func (p *Presence) WatchOthers(ctx context.Context) {
	known := sync.OnceFunc(func() { close(p.Known) })
	defer known()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for wait := othersPause; ; wait = min(2*wait, othersPace) {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		taken, err := p.lookAround(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			p.Log.Warn("the store does not say whether another node takes runs: this node hands its runs back", "error", err)
		}
		if taken == nil || len(*taken) == 0 || wait > othersPause {
			p.takers.Store(taken)
			known()
		}
		pause.Reset(wait)
	}
}
