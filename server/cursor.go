package server

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
)

// backoffFirst and backoffMost bound how long a cursor that the store failed
// waits before it tries again.
const (
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// departure bounds how long a draining socket is served what its threads ended
// with.
const departure = 2 * time.Second

// cursor follows one thread for a client and counts what the client was given
// of it: a delivery of a socket is one, and so is a stream over HTTP or of a plain
// socket. All but ready belongs to the goroutine that serves the client.
type cursor struct {
	*peer
	key      store.ThreadKey
	follower follower
	position store.Position // of the last event that was given
	failures int            // of the store, in a row
	ready    atomic.Bool    // it may find something
}

// receiver is who a cursor gives what it finds. over says that it has enough.
type receiver interface {
	// event takes the event at the cursor's position.
	event(event []byte) (over bool, err error)
	// restated says that the cursor could not go on, and where it is now.
	restated(a *follow.Attached, deleted bool) (over bool, err error)
	// atEnd is called when the cursor is at the log's end.
	atEnd() (over bool, err error)
	// failed says that nothing could be found, with the store's error if it has
	// one. The cursor is to be tried again after its backoff.
	failed(why error) error
}

// sink is the receiver of a cursor that streams.
type sink interface {
	receiver
	flush() error
	// owed is called before the cursor is moved: what others owe the client.
	owed() (over bool, err error)
}

// open subscribes to a thread. The cursor has no position until attach or seek,
// and must be closed.
func (c *cursor) open(p *peer, thread string) {
	c.peer, c.key = p, p.key(thread)
	c.follower = p.srv.runs.Follow(c.key, c.lookAgain)
}

func (c *cursor) close() { c.follower.Close() }

// attach places the cursor. The error was logged.
func (c *cursor) attach(after *store.Position) (*follow.Attached, error) {
	ctx, cancel := c.look()
	defer cancel()
	a, err := c.attachWithin(ctx, after)
	if err != nil {
		c.peer.logFailure("attaching", c.key.Thread, err)
	}
	return a, err
}

func (c *cursor) attachWithin(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	a, err := c.follower.Attach(ctx, after)
	if err == nil {
		c.position = a.Position
		c.out.keep(a.Restatement)
		if c.reads() {
			c.srv.left.keep(c.key)
		}
	}
	return a, err
}

// seek places the cursor where it is known to be able to go on.
func (c *cursor) seek(at store.Position) {
	c.position = at
	c.follower.Seek(at)
}

// lookAgain says that there may be something to find.
func (c *cursor) lookAgain() {
	c.ready.Store(true)
	c.poke()
}

// hasBegun reports whether a run of the thread is past the queue. It is taken for so
// when the store does not say.
func (c *cursor) hasBegun(id, label string) bool {
	ctx, cancel := c.look()
	defer cancel()
	told, err := c.srv.runs.Repeat(ctx, c.key, id, label)
	return err != nil || told.Status != store.RunQueued
}

// left is an Input's Left, of one whose sender has come to the thread with it.
func (c *cursor) left(runID string) bool { return c.srv.left.has(c.key, runID) }

// clears notes the run that made room for an input.
func (c *cursor) clears(admitted admission.Admitted) {
	if admitted.Cleared != "" {
		c.srv.leftStopped(c.key, admitted.Cleared)
	}
}

// backoff is how long to wait after the failures that there were.
func (c *cursor) backoff() time.Duration {
	return min(backoffFirst<<min(c.failures-1, 10), backoffMost)
}

// stream hands the sink what the thread logs until the sink has enough.
func (c *cursor) stream(to sink) error {
	c.lookAgain()
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
		if over, err := c.pay(c.ctx, to); over || err != nil {
			return err
		}
		if c.failures > 0 {
			retry.Reset(c.backoff())
		}
	}
}

// depart hands out what the thread ended with. Unless that is all that the
// sink wanted, it reports that the server is draining.
func (c *cursor) depart(to sink) error {
	ctx, cancel := context.WithTimeout(c.ctx, departure)
	defer cancel()
	c.ready.Store(true)
	for c.ready.Load() && ctx.Err() == nil {
		if over, err := c.pay(ctx, to); over || err != nil {
			return err
		}
		if err := to.flush(); err != nil {
			return err
		}
	}
	return closeDraining
}

// pay hands out what is owed, then one page.
func (c *cursor) pay(ctx context.Context, to sink) (over bool, err error) {
	if over, err := to.owed(); over || err != nil {
		return over, err
	}
	return c.advance(ctx, to)
}

// advance hands out one page, if there may be one.
func (c *cursor) advance(ctx context.Context, to receiver) (over bool, err error) {
	if !c.ready.Swap(false) {
		return false, nil
	}
	page, err := c.follower.Next(c.reading(ctx))
	if err != nil {
		if c.ctx.Err() != nil {
			return false, context.Cause(c.ctx)
		}
		c.failures++
		c.peer.logFailure("following a thread", c.key.Thread, err)
		return false, to.failed(err)
	}
	c.failures = 0
	if page.Restated != nil {
		c.out.keep(page.Restated.Restatement)
		c.position = page.Restated.Position
		c.lookAgain()
		return to.restated(page.Restated, page.Deleted)
	}
	for _, event := range page.Events {
		c.position.Seq++
		if over, err := to.event(event); over || err != nil {
			return over, err
		}
	}
	switch {
	case page.CaughtUp:
		return to.atEnd()
	case len(page.Events) == 0:
		c.failures++
		return false, to.failed(nil)
	default:
		c.lookAgain()
	}
	return false, nil
}
