package server

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
)

// cursor follows one thread for one stream. Everything but ready belongs to the
// goroutine that calls stream.
type cursor struct {
	*peer
	key      store.ThreadKey
	follower follower
	position store.Position // of the last event that was found
	failures int            // of the store, in a row
	ready    atomic.Bool    // it may find something
}

// sink is what a stream does with what its cursor finds. Each method reports
// whether the stream is over.
type sink interface {
	flush() error
	event(event []byte) (over bool, err error)
	// restated says that the cursor could not go on, and where it is now.
	restated(*follow.Attached) (over bool, err error)
	// settled is called when the cursor is at the log's end.
	settled() (over bool, err error)
	// owed is called before the cursor is moved: what others owe the client.
	owed() (over bool, err error)
}

// open subscribes to a thread. The cursor has no position until its follower
// is placed, and must be closed.
func (c *cursor) open(p *peer, thread string) {
	c.peer, c.key = p, p.key(thread)
	c.follower = p.srv.runs.Follow(c.key, func() {
		c.ready.Store(true)
		p.poke()
	})
}

func (c *cursor) close() { c.follower.Close() }

// attach places the cursor. The error was logged.
func (c *cursor) attach(after *store.Position) (*follow.Attached, error) {
	ctx, cancel := c.look()
	defer cancel()
	a, err := c.follower.Attach(ctx, after)
	if err != nil {
		c.log.Warn("attaching failed", "thread", c.key.Thread, "error", err)
		return nil, err
	}
	c.position = a.Position
	return a, nil
}

// stream hands the sink what the thread logs until the sink has enough.
func (c *cursor) stream(to sink) error {
	c.ready.Store(true)
	c.poke()
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		if err := to.flush(); err != nil {
			return err
		}
		select {
		case <-c.ctx.Done():
			return context.Cause(c.ctx)
		case <-c.identity.Revoked:
			return closeExpired
		case <-c.srv.leave:
			return c.depart(to)
		case <-retry.C:
			c.ready.Store(true)
		case <-c.wake:
		}
		over, err := c.advance(c.ctx, to)
		if over || err != nil {
			return err
		}
		if c.failures > 0 {
			retry.Reset(min(backoffFirst<<min(c.failures-1, 10), backoffMost))
		}
	}
}

// depart hands out what the thread ended with. Unless that is all that the
// wanted, it reports that the server is draining.
func (c *cursor) depart(to sink) error {
	ctx, cancel := context.WithTimeout(c.ctx, departure)
	defer cancel()
	c.ready.Store(true)
	for c.ready.Load() && ctx.Err() == nil {
		over, err := c.advance(ctx, to)
		if over || err != nil {
			return err
		}
		if err := to.flush(); err != nil {
			return err
		}
	}
	return closeDraining
}

// advance hands out one page.
func (c *cursor) advance(ctx context.Context, to sink) (over bool, err error) {
	if over, err := to.owed(); over || err != nil {
		return over, err
	}
	if !c.ready.Swap(false) {
		return false, nil
	}
	page, err := c.follower.Next(ctx)
	if err != nil {
		if c.ctx.Err() != nil {
			return false, context.Cause(c.ctx)
		}
		c.failures++
		c.log.Warn("following a thread failed", "thread", c.key.Thread, "error", err)
		return false, nil
	}
	c.failures = 0
	if page.Restated != nil {
		c.position = page.Restated.Position
		c.ready.Store(true)
		c.poke()
		return to.restated(page.Restated)
	}
	for _, event := range page.Events {
		c.position.Seq++
		if over, err := to.event(event); over || err != nil {
			return over, err
		}
	}
	switch {
	case page.CaughtUp:
		return to.settled()
	case len(page.Events) == 0:
		c.failures++
	default:
		c.ready.Store(true)
		c.poke()
	}
	return false, nil
}
