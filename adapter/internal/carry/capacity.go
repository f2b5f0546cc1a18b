package carry

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// maxClaims is how many claims are under way at once: as many as keep the way to
	// the store busy.
	maxClaims = 32
	// maxLine is how many threads wait for a claim. The sweep finds those beyond.
	maxLine = 1024
	// SweepPage is how many threads with work are asked for at once. While there are more
	// they are asked for as soon as these are claimed.
	SweepPage = 256
)

// Capacity is how many runs this node carries: the places that claims and inputs need,
// and the threads that it is to claim when there are some, in the order in which it
// heard of them.
type Capacity struct {
	*node.Node
	backoff *Backoff
	Claim   func(store.Work) (took, again bool)

	mu    sync.Mutex
	max   int // runs at once
	runs  int // that are carried
	held  int // places held for what may become a run
	under int // claims under way
	known map[store.ThreadKey]claimStage
	line  []store.Work
	aside map[store.ThreadKey]store.Work // that this node was given, and leaves alone for now
	more  bool                           // others are due, that are not in line
	took  bool                           // a claim took something since others were looked for
	Wake  chan struct{}                  // holds one: look for others at once
	free  bool                           // there are places to spare
	flips chan struct{}                  // closed when that changes
}

func NewCapacity(n *node.Node, b *Backoff) *Capacity {
	c := &Capacity{Node: n, backoff: b, max: n.Options.MaxRuns, known: map[store.ThreadKey]claimStage{}, aside: map[store.ThreadKey]store.Work{},
		Wake: make(chan struct{}, 1), flips: make(chan struct{})}
	c.free = c.places() > 0
	return c
}

// places is how many more threads this node would claim, if nothing is known that waits
// for them. The lock is held.
func (c *Capacity) places() int {
	if c.more {
		return 0
	}
	return max(c.max-c.runs-c.held-len(c.line), 0)
}

// Spare is how many places there are to spare, and is closed when there come to be some,
// or none.
func (c *Capacity) Spare() (int, <-chan struct{}) {
	c.mu.Lock()
	defer c.unlock()
	return c.places(), c.flips
}

func (c *Capacity) unlock() {
	if free := c.places() > 0; free != c.free {
		c.free = free
		close(c.flips)
		c.flips = make(chan struct{})
	}
	c.mu.Unlock()
}

// claimStage is where the claim of a thread stands.
type claimStage int

const (
	claimWaits claimStage = iota + 1
	claimUnder
	claimAgain // under way, and there may be more to claim since
)

// ClaimLater claims the thread's next activation when its turn comes.
func (c *Capacity) ClaimLater(key store.ThreadKey) { c.lineUp(store.Work{Thread: key}, claimAgain) }

// ClaimDue is claimLater for what the store has delivered: a claim that is under way is
// the one that it wants.
func (c *Capacity) ClaimDue(w store.Work) { c.lineUp(w, claimUnder) }

func (c *Capacity) lineUp(w store.Work, under claimStage) {
	leaves := c.Draining() || c.backoff.leaves(w.Thread) || c.backoff.holds(w.Thread)
	c.mu.Lock()
	defer c.unlock()
	switch stage := c.known[w.Thread]; {
	case leaves:
		c.putAside(w)
	case stage == claimUnder:
		c.known[w.Thread] = under
	case stage != 0:
	case len(c.line) >= maxLine:
		c.more = true
	default:
		c.append(w)
		c.claimNext()
	}
}

// putAside keeps what this node is to try again by itself: what the store has delivered
// to it no other node is given for a while. The lock is held.
func (c *Capacity) putAside(w store.Work) {
	if _, ok := c.aside[w.Thread]; ok || len(c.aside) < maxLine {
		c.aside[w.Thread] = w
	}
}

// RetryAside lines up again what was put aside.
func (c *Capacity) RetryAside() {
	c.mu.Lock()
	aside := c.aside
	c.aside = map[store.ThreadKey]store.Work{}
	c.mu.Unlock()
	for _, w := range aside {
		c.ClaimDue(w)
	}
}

// GiveBackAll returns what the store has delivered and this node claims no more.
func (c *Capacity) GiveBackAll(ctx context.Context) {
	c.mu.Lock()
	work := slices.AppendSeq(c.line, maps.Values(c.aside))
	c.line, c.aside = nil, map[store.ThreadKey]store.Work{}
	c.mu.Unlock()
	c.GiveBack(ctx, work)
}

// GiveBack lets others be given what the store has delivered to this node.
func (c *Capacity) GiveBack(ctx context.Context, work []store.Work) {
	work = slices.DeleteFunc(work, func(w store.Work) bool { return w.Entry == "" })
	if len(work) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, c.Options.StoreTimeout)
	defer cancel()
	if err := c.Store.Return(ctx, work); err != nil && ctx.Err() == nil {
		c.Log.Debug("work that this node gives back reaches other nodes later than it could", "error", err)
	}
}

// append puts the thread at the end of the line. The lock is held.
func (c *Capacity) append(w store.Work) {
	c.known[w.Thread] = claimWaits
	c.line = append(c.line, w)
}

// hasPlace reports whether one more run has a place. The lock is held.
func (c *Capacity) hasPlace() bool { return c.runs+c.held < c.max }

// claimNext begins as many claims as have room. The lock is held.
func (c *Capacity) claimNext() {
	for len(c.line) > 0 && c.under < maxClaims && c.hasPlace() && !c.Draining() {
		w := c.line[0]
		c.line = c.line[1:]
		c.known[w.Thread] = claimUnder
		c.under++
		c.held++
		c.Background(func() { c.claimNow(w) })
	}
	if len(c.line) == 0 && c.more && c.took && c.hasPlace() {
		c.more = false
		select {
		case c.Wake <- struct{}{}:
		default:
		}
	}
}

// claimNow makes one claim of those under way.
func (c *Capacity) claimNow(w store.Work) {
	took, again := c.Claim(w)
	if again && c.Draining() {
		c.GiveBack(c.Ctx, []store.Work{w})
		again = false
	}
	c.mu.Lock()
	defer c.unlock()
	stage := c.known[w.Thread]
	delete(c.known, w.Thread)
	switch {
	case again:
		c.putAside(w)
	case stage == claimAgain:
		c.append(store.Work{Thread: w.Thread})
	}
	c.took = c.took || took
	c.under--
	c.held--
	c.claimNext()
}

// Reserve holds a place for a run that may begin; false: there is none. The
// caller gives it back when the run has begun, or has not.
func (c *Capacity) Reserve() bool {
	c.mu.Lock()
	defer c.unlock()
	if !c.hasPlace() {
		return false
	}
	c.held++
	return true
}

// Occupy holds a place for what may be a run already, whether there is room or not.
func (c *Capacity) Occupy() {
	c.mu.Lock()
	defer c.unlock()
	c.held++
}

// Release gives a place back.
func (c *Capacity) Release() {
	c.mu.Lock()
	defer c.unlock()
	c.held--
	c.claimNext()
}

// carried counts runs that begin, and those that are over for this worker.
func (c *Capacity) carried(n int) {
	c.mu.Lock()
	defer c.unlock()
	c.runs += n
	c.claimNext()
}

// Room is how many more threads would have a place.
func (c *Capacity) Room() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.max - c.runs - c.held - len(c.line)
}

// Looking is called before others are looked for, and says how many there is room for, and
// whether some are known to wait.
func (c *Capacity) Looking() (room int, known bool) {
	c.mu.Lock()
	defer c.unlock()
	known, room = c.more, min(c.max-c.runs-c.held-len(c.line), SweepPage)
	if room <= 0 {
		c.more = true
		return 0, known
	}
	c.more, c.took = false, false
	return room, known
}

// RoomForOne reports whether there is room for one more thread that waits for a claim;
// where there is none, others are looked for when there is.
func (c *Capacity) RoomForOne() bool {
	c.mu.Lock()
	defer c.unlock()
	free := c.runs+c.held+len(c.line) < c.max
	c.more = c.more || !free
	return free
}

// Found ends looking for others; more: there may be some beyond those found.
func (c *Capacity) Found(more bool) {
	c.mu.Lock()
	defer c.unlock()
	c.more = c.more || more
	c.claimNext()
}

// Carries is how many runs are carried.
func (c *Capacity) Carries() int {
	c.mu.Lock()
	defer c.unlock()
	return c.runs
}
