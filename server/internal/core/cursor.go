package core

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// backoffFirst and backoffMost bound how long a cursor that the store failed
// waits before it tries again.
const (
	backoffFirst = 100 * time.Millisecond
	backoffMost  = 5 * time.Second
)

// Departure bounds how long a draining socket is served what its threads ended
// with.
const Departure = 2 * time.Second

// Cursor follows one thread for a client and counts what the client was given
// of it: a delivery of a socket is one, and so is a stream over HTTP or of a plain
// socket. All but ready belongs to the goroutine that serves the client.
type Cursor struct {
	*peer.Peer
	srv      *Core
	Key      store.ThreadKey
	Follower Follower
	Position store.Position // of the last event that was given
	Failures int            // of the store, in a row
	Ready    atomic.Bool    // it may find something
}

// receiver is who a cursor gives what it finds. over says that it has enough.
type receiver interface {
	// Event takes the event at the cursor's position.
	Event(event []byte) (over bool, err error)
	// Restated says that the cursor could not go on, and where it is now.
	Restated(a *follow.Attached, deleted bool) (over bool, err error)
	// AtEnd is called when the cursor is at the log's end.
	AtEnd() (over bool, err error)
	// Failed says that nothing could be found, with the store's error if it has
	// one. The cursor is to be tried again after its backoff.
	Failed(why error) error
}

// sink is the receiver of a cursor that streams.
type sink interface {
	receiver
	Flush() error
	// Owed is called before the cursor is moved: what others owe the client.
	Owed() (over bool, err error)
}

// Open subscribes to a thread. The cursor has no position until attach or seek,
// and must be closed.
func (c *Cursor) Open(s *Core, p *peer.Peer, thread string) {
	c.srv, c.Peer, c.Key = s, p, p.Key(thread)
	c.Follower = s.Runs.Follow(c.Key, c.LookAgain)
}

// Close ends the subscription.
func (c *Cursor) Close() { c.Follower.Close() }

// Attach places the cursor. The error was logged.
func (c *Cursor) Attach(after *store.Position) (*follow.Attached, error) {
	ctx, cancel := c.Look()
	defer cancel()
	a, err := c.AttachWithin(ctx, after)
	if err != nil {
		c.Peer.LogFailure("attaching", c.Key.Thread, err)
	}
	return a, err
}

// AttachWithin is Attach within a context of the caller's, whose error was not logged.
func (c *Cursor) AttachWithin(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	a, err := c.Follower.Attach(ctx, after)
	if err == nil {
		c.Position = a.Position
		c.Out.Keep(a.Restatement)
	}
	return a, err
}

// Seek places the cursor where it is known to be able to go on.
func (c *Cursor) Seek(at store.Position) {
	c.Position = at
	c.Follower.Seek(at)
}

// LookAgain says that there may be something to find.
func (c *Cursor) LookAgain() {
	c.Ready.Store(true)
	c.Poke()
}

// HasBegun reports whether a run of the thread is past the queue. It is taken for so
// when the store does not say.
func (c *Cursor) HasBegun(id, label string) bool {
	ctx, cancel := c.Look()
	defer cancel()
	told, err := c.srv.Runs.Repeat(ctx, c.Key, id, label)
	return err != nil || told.Status != store.RunQueued
}

// Left is an Input's Left, of one whose sender has come to the thread with it.
func (c *Cursor) Left(runID string) bool { return c.srv.Left.has(c.Key, runID) }

// Clears notes the run that made room for an input.
func (c *Cursor) Clears(admitted admission.Admitted) {
	if admitted.Cleared != "" {
		c.srv.leftStopped(c.Key, admitted.Cleared)
	}
}

// Backoff is how long to wait after the failures that there were.
func (c *Cursor) Backoff() time.Duration {
	return min(backoffFirst<<min(c.Failures-1, 10), backoffMost)
}

// Stream hands the sink what the thread logs until the sink has enough.
func (c *Cursor) Stream(to sink) error {
	c.LookAgain()
	retry := time.NewTimer(time.Hour)
	defer retry.Stop()
	for {
		if err := to.Flush(); err != nil {
			return err
		}
		select {
		case <-c.Ctx.Done():
			return context.Cause(c.Ctx)
		case <-c.Identity.Revoked:
			return peer.CloseExpired
		case <-c.srv.Leave:
			return c.depart(to)
		case <-retry.C:
			c.Ready.Store(true)
		case <-c.Wake:
		}
		if over, err := c.pay(c.Ctx, to); over || err != nil {
			return err
		}
		if c.Failures > 0 {
			retry.Reset(c.Backoff())
		}
	}
}

// depart hands out what the thread ended with. Unless that is all that the
// sink wanted, it reports that the server is draining.
func (c *Cursor) depart(to sink) error {
	ctx, cancel := context.WithTimeout(c.Ctx, Departure)
	defer cancel()
	c.Ready.Store(true)
	for c.Ready.Load() && ctx.Err() == nil {
		if over, err := c.pay(ctx, to); over || err != nil {
			return err
		}
		if err := to.Flush(); err != nil {
			return err
		}
	}
	return peer.CloseDraining
}

// pay hands out what is owed, then one page.
func (c *Cursor) pay(ctx context.Context, to sink) (over bool, err error) {
	if over, err := to.Owed(); over || err != nil {
		return over, err
	}
	return c.Advance(ctx, to)
}

// Advance hands out one page, if there may be one.
func (c *Cursor) Advance(ctx context.Context, to receiver) (over bool, err error) {
	if !c.Ready.Swap(false) {
		return false, nil
	}
	page, err := c.Follower.Next(c.Reading(ctx))
	if err != nil {
		if c.Ctx.Err() != nil {
			return false, context.Cause(c.Ctx)
		}
		c.Failures++
		c.Peer.LogFailure("following a thread", c.Key.Thread, err)
		return false, to.Failed(err)
	}
	c.Failures = 0
	if page.Restated != nil {
		c.Out.Keep(page.Restated.Restatement)
		c.Position = page.Restated.Position
		c.LookAgain()
		return to.Restated(page.Restated, page.Deleted)
	}
	for _, event := range page.Events {
		c.Position.Seq++
		if over, err := to.Event(event); over || err != nil {
			return over, err
		}
	}
	switch {
	case page.CaughtUp:
		return to.AtEnd()
	case len(page.Events) == 0:
		c.Failures++
		return false, to.Failed(nil)
	default:
		c.LookAgain()
	}
	return false, nil
}
