package runner

import (
	"sync"
	"time"
)

// grace is what the sweep knows of a store that did not answer. Leases ended in
// it that nobody could renew: their holders get a moment to do so before their runs
// are taken over. A run whose worker is lost waits no longer than that moment more.
type grace struct {
	lease time.Duration

	mu     sync.Mutex
	heard  time.Time // the store's latest answer, or when the runner was made
	failed bool      // since then it was asked in vain
	until  time.Time // up to which holders are spared
}

// answered takes the outcome of asking the store what is due.
func (g *grace) answered(asked time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.failed = true
		return
	}
	now := time.Now()
	late := g.failed || now.Sub(asked) > g.lease/10
	if late && now.Sub(g.heard) >= g.lease/2 {
		g.until = now.Add(renewEvery(g.lease))
	}
	g.heard, g.failed = now, false
}

// spares reports whether a run that has a holder is left to it, though its lease
// is over.
func (g *grace) spares() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Before(g.until)
}
