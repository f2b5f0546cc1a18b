package adapter

import (
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// maxClaims is how many claims are under way at once: as many as keep the way to
	// the store busy.
	maxClaims = 32
	// maxLine is how many threads wait for a claim. The sweep finds those beyond.
	maxLine = 1024
)

// claims are the threads that this node is to claim, in the order in which it
// heard of them, and the places for runs that claims and inputs need.
type claims struct {
	mu    sync.Mutex
	max   int // runs at once
	runs  int // that are carried
	held  int // places held for what may become a run
	under int // claims under way
	known map[store.ThreadKey]claimStage
	line  []store.ThreadKey
	more  bool          // others are due, that are not in line
	took  bool          // a claim took something since others were looked for
	wake  chan struct{} // holds one: look for others at once
}

// claimStage is where the claim of a thread stands.
type claimStage int

const (
	claimWaits claimStage = iota + 1
	claimUnder
	claimAgain // under way, and there may be more to claim since
)

// claimLater claims the thread's next activation when its turn comes.
func (r *Runner) claimLater(key store.ThreadKey) { r.lineUp(key, claimAgain) }

// claimDue is claimLater for what a sweep has found: a claim that is under way is
// the one that is due.
func (r *Runner) claimDue(key store.ThreadKey) { r.lineUp(key, claimUnder) }

func (r *Runner) lineUp(key store.ThreadKey, under claimStage) {
	if r.draining() || r.leaves(key) || r.holds(key) {
		return
	}
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	switch stage := c.known[key]; {
	case stage == claimUnder:
		c.known[key] = under
	case stage != 0:
	case len(c.line) >= maxLine:
		c.more = true
	default:
		c.append(key)
		r.claimNext()
	}
}

// append puts the thread at the end of the line. The lock is held.
func (c *claims) append(key store.ThreadKey) {
	c.known[key] = claimWaits
	c.line = append(c.line, key)
}

// room reports whether one more run has a place. The lock is held.
func (c *claims) room() bool { return c.runs+c.held < c.max }

// claimNext begins as many claims as have room. The lock of r.claims is held.
func (r *Runner) claimNext() {
	c := &r.claims
	for len(c.line) > 0 && c.under < maxClaims && c.room() && !r.draining() {
		key := c.line[0]
		c.line = c.line[1:]
		c.known[key] = claimUnder
		c.under++
		c.held++
		r.background(func() { r.claimNow(key) })
	}
	if len(c.line) == 0 && c.more && c.took && c.room() {
		c.more = false
		select {
		case c.wake <- struct{}{}:
		default:
		}
	}
}

// claimNow makes one claim of those under way.
func (r *Runner) claimNow(key store.ThreadKey) {
	took := r.tryClaim(key)
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	again := c.known[key] == claimAgain
	delete(c.known, key)
	if again {
		c.append(key)
	}
	c.took = c.took || took
	c.under--
	c.held--
	r.claimNext()
}

// reserve holds a place for a run that may begin; false: there is none. The
// caller gives it back when the run has begun, or has not.
func (r *Runner) reserve() bool {
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.room() {
		return false
	}
	c.held++
	return true
}

// occupy holds a place for what may be a run already, whether there is room or not.
func (r *Runner) occupy() {
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held++
}

func (r *Runner) unreserve() {
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held--
	r.claimNext()
}

// carried counts runs that begin, and those that are over for this worker.
func (r *Runner) carried(n int) {
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs += n
	r.claimNext()
}

// looking is called before others are looked for; false: there are enough.
func (c *claims) looking() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.line) >= sweepPage {
		c.more = true
		return false
	}
	c.more, c.took = false, false
	return true
}

// found ends looking for others; more: there may be some beyond those found.
func (r *Runner) found(more bool) {
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	c.more = c.more || more
	r.claimNext()
}

// Load is what one node carries.
type Load struct {
	Runs    int   // carried now
	MaxRuns int   // Options.MaxRuns
	Panics  int64 // contained so far, without those of agents
}

// Load returns what the node carries now.
func (r *Runner) Load() Load {
	c := &r.claims
	c.mu.Lock()
	defer c.mu.Unlock()
	return Load{Runs: c.runs, MaxRuns: c.max, Panics: r.panics.count.Load()}
}
