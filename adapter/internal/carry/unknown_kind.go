package carry

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// unknownKindPause is the longest that a run waits before it is tried again which
	// only a newer node can go on with.
	unknownKindPause = 5 * time.Second
	// unknownKindStart is how much sooner than this node others may try, at least.
	unknownKindStart = time.Second
)

// unknownKindRun is a thread's run whose journal has entries of a kind that this node does
// not know.
type unknownKindRun struct {
	run   string
	since time.Time
	tries int
	until time.Time // when this node tries again
}

// leaveTo says how long the run waits for a node that can read it; false when it has
// waited long enough. This node leaves it alone for two sweeps more, or it
// might be the first each time.
func (b *Backoff) leaveTo(claim store.Claim) (wait time.Duration, patient bool) {
	if b.Options.AgentWait < 0 {
		return 0, false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	for key, s := range b.unknown {
		if now.Sub(s.since) > 2*b.Options.AgentWait {
			delete(b.unknown, key) // somebody else had it
		}
	}
	s := b.unknown[claim.Thread]
	if s.run != claim.RunID {
		s = unknownKindRun{run: claim.RunID, since: now}
	}
	s.tries++
	wait = min(retryAfter(s.tries), unknownKindPause)
	s.until = now.Add(wait + max(2*b.Options.Sweep, unknownKindStart))
	b.unknown[claim.Thread] = s
	return wait, now.Sub(s.since) < b.Options.AgentWait
}

// LeavesToOthers reports whether the thread's run is left to nodes that can read it.
func (b *Backoff) LeavesToOthers(key store.ThreadKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Now().Before(b.unknown[key].until)
}

// leaves reports whether the thread's next run is left to others for now, or to
// itself.
func (b *Backoff) leaves(key store.ThreadKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, met := b.unknown[key]
	now := time.Now()
	return met && now.Before(s.until) || now.Before(b.failing[key].until) || now.Before(b.waiting[key])
}
