package node

import (
	"sync"
	"time"
)

// enough is how many runs wait for company at most. It is what one script of the store takes.
const enough = 64

// Company has the runs of a node wait for each other, so that what they add travels together:
// one timer wakes them all. Its methods may be called at once.
type Company struct {
	wait time.Duration

	mu      sync.Mutex
	timer   *time.Timer
	waiting []func()
	spare   []func()
}

// NewCompany returns one in which nobody waits longer than for wait. It is nil if that is not
// positive.
func NewCompany(wait time.Duration) *Company {
	if wait <= 0 {
		return nil
	}
	return &Company{wait: wait}
}

// Join has leave called once, from another goroutine.
func (c *Company) Join(leave func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, leave)
	switch {
	case c.timer == nil:
		c.timer = time.AfterFunc(c.wait, c.leave)
	case len(c.waiting) == 1:
		c.timer.Reset(c.wait)
	case len(c.waiting) == enough:
		c.timer.Reset(0)
	}
}

func (c *Company) leave() {
	c.mu.Lock()
	leaving := c.waiting
	c.waiting, c.spare = c.spare[:0], nil
	c.mu.Unlock()
	for _, leave := range leaving {
		leave()
	}
	clear(leaving)
	c.mu.Lock()
	c.spare = leaving
	c.mu.Unlock()
}
