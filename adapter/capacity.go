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
	// sweepPage is how many due threads are asked for at once. While there are more
	// they are asked for as soon as these are claimed.
	sweepPage = 256
)

// capacity is how many runs this node carries: the places that claims and inputs need,
// and the threads that it is to claim when there are some, in the order in which it
// heard of them.
type capacity struct {
	*node
	backoff *backoff
	claim   func(store.ThreadKey) (took bool)

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

func newCapacity(n *node, b *backoff) *capacity {
	return &capacity{node: n, backoff: b, max: n.options.MaxRuns, known: map[store.ThreadKey]claimStage{}, wake: make(chan struct{}, 1)}
}

// claimStage is where the claim of a thread stands.
type claimStage int

const (
	claimWaits claimStage = iota + 1
	claimUnder
	claimAgain // under way, and there may be more to claim since
)

// claimLater claims the thread's next activation when its turn comes.
func (c *capacity) claimLater(key store.ThreadKey) { c.lineUp(key, claimAgain) }

// claimDue is claimLater for what a sweep has found: a claim that is under way is
// the one that is due.
func (c *capacity) claimDue(key store.ThreadKey) { c.lineUp(key, claimUnder) }

func (c *capacity) lineUp(key store.ThreadKey, under claimStage) {
	if c.draining() || c.backoff.leaves(key) || c.backoff.holds(key) {
		return
	}
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
		c.claimNext()
	}
}

// append puts the thread at the end of the line. The lock is held.
func (c *capacity) append(key store.ThreadKey) {
	c.known[key] = claimWaits
	c.line = append(c.line, key)
}

// room reports whether one more run has a place. The lock is held.
func (c *capacity) room() bool { return c.runs+c.held < c.max }

// claimNext begins as many claims as have room. The lock is held.
func (c *capacity) claimNext() {
	for len(c.line) > 0 && c.under < maxClaims && c.room() && !c.draining() {
		key := c.line[0]
		c.line = c.line[1:]
		c.known[key] = claimUnder
		c.under++
		c.held++
		c.background(func() { c.claimNow(key) })
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
func (c *capacity) claimNow(key store.ThreadKey) {
	took := c.claim(key)
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
	c.claimNext()
}

// reserve holds a place for a run that may begin; false: there is none. The
// caller gives it back when the run has begun, or has not.
func (c *capacity) reserve() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.room() {
		return false
	}
	c.held++
	return true
}

// occupy holds a place for what may be a run already, whether there is room or not.
func (c *capacity) occupy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held++
}

// release gives a place back.
func (c *capacity) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held--
	c.claimNext()
}

// carried counts runs that begin, and those that are over for this worker.
func (c *capacity) carried(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs += n
	c.claimNext()
}

// looking is called before others are looked for; false: there are enough.
func (c *capacity) looking() bool {
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
func (c *capacity) found(more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.more = c.more || more
	c.claimNext()
}

// Load is what one node carries.
type Load struct {
	Runs    int   // carried now
	MaxRuns int   // Options.MaxRuns
	Panics  int64 // contained so far, without those of agents
	// Cached is what Options.ThreadCache holds.
	Cached Cached
}

// Cached is what a node holds of threads in use.
type Cached struct {
	Threads, Bytes int64
	// Hits are reads of a thread that took what is new in it, Misses those that took all
	// of it.
	Hits, Misses int64
}

func (c *capacity) load() Load {
	c.mu.Lock()
	defer c.mu.Unlock()
	return Load{Runs: c.runs, MaxRuns: c.max, Panics: c.panics.count.Load(), Cached: Cached(c.folded.Usage())}
}
