package dispatch

import (
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/execution"
)

// Grace is what the sweep knows of a store that did not answer. Leases ended in
// it that nobody could renew: their holders get a moment to do so before their runs
// are taken over. A run whose worker is lost waits no longer than that moment more.
type Grace struct {
	Lease time.Duration

	mu     sync.Mutex
	Heard  time.Time // the store's latest answer, or when the runner was made
	failed bool      // since then it was asked in vain
	until  time.Time // up to which holders are spared
}

// answered takes the outcome of asking the store what is due.
func (g *Grace) answered(asked time.Time, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if err != nil {
		g.failed = true
		return
	}
	now := time.Now()
	late := g.failed || now.Sub(asked) > g.Lease/10
	if late && now.Sub(g.Heard) >= g.Lease/2 {
		g.until = now.Add(execution.RenewEvery(g.Lease))
	}
	g.Heard, g.failed = now, false
}

// spares reports whether a run that has a holder is left to it, though its lease
// is over.
func (g *Grace) spares() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Now().Before(g.until)
}
