package runner

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// control stops runs, whichever node carries them.
type control struct {
	*node
	active   *activeRuns
	capacity *capacity
	backoff  *backoff
	hub      *follow.Hub
	turns    *turns
	owes     atomic.Pointer[CancelledInQueue]
}

// OnCancelled sets the one function that is told. Threads that nobody follows
// here are not heard of.
func (c *control) OnCancelled(f CancelledInQueue) { c.owes.Store(&f) }

func (c *control) cancelled(d store.Delivery) {
	owe := c.owes.Load()
	if owe == nil {
		return
	}
	e, err := protocol.Decode(d.Events[0])
	started, ok := e.(*protocol.RunStarted)
	if err != nil || !ok {
		c.log.Warn("an input was stopped with events that are none", "thread", d.Thread.Thread, "error", err)
		return
	}
	(*owe)(d.Thread, started.RunID, d.Events)
}

// endAll stops the active run and the inputs that wait; open interrupts stay open. It
// repairs what cannot be read and is in the way.
func (c *control) endAll(ctx context.Context, key store.ThreadKey, reason string) (AllStopped, error) {
	i, err := c.stopAll(ctx, key, reason, uuid.NewString())
	if errors.Is(err, store.ErrCorrupted) {
		var all store.StopAllResult
		all, err = c.active.repair(ctx, key, reason)
		i = AllStopped{Active: all.Active, Superseded: all.Superseded, Epoch: all.Epoch}
	}
	c.backoff.mended(key)
	return i, err
}

func (c *control) stopAll(ctx context.Context, key store.ThreadKey, reason, request string) (AllStopped, error) {
	for range maxTries {
		view, err := c.store.Read(ctx, key, store.ReadQuery{})
		if err != nil {
			return AllStopped{}, err
		}
		i := store.StopAll{Thread: key, Request: request, Reason: reason}
		if view.Active != nil {
			record, err := stored.Record(view.Active)
			if err != nil {
				return AllStopped{}, err
			}
			i.Active = view.Active.ID
			if i.Terminal, err = protocol.Encode(lifecycle.Cancelled(key, record.Label)); err != nil {
				return AllStopped{}, err
			}
		}
		result, err := retry.Do(ctx, func() (store.StopAllResult, error) { return c.store.StopAll(ctx, i) })
		if err != nil {
			return AllStopped{}, err
		}
		if result.Stale {
			continue
		}
		if result.Active != "" {
			c.active.fence(result.Active)
		}
		c.tidy(key, result.Behind)
		return AllStopped{Active: result.Active, Superseded: result.Superseded, Epoch: result.Epoch}, nil
	}
	return AllStopped{}, fmt.Errorf("%w: the thread changes too fast for all of it to be stopped", store.ErrOutcomeUnknown)
}

// endRuns stops all runs under the label that are active or queued, the latest first: a
// queued run does not begin because the active one ends.
func (c *control) endRuns(ctx context.Context, key store.ThreadKey, label string) (Cancelled, error) {
	var all Cancelled
	terminal, err := protocol.Encode(lifecycle.Cancelled(key, label))
	if err != nil {
		return all, err
	}
	for range c.options.MaxQueue + 2 { // more only if others begin meanwhile
		one, err := c.stop(ctx, store.Stop{Thread: key, Label: label, Terminal: terminal})
		if err != nil || !one.Stopped {
			return all, err
		}
		all.Stopped = true
		if all.Owed == nil {
			all.Owed = one.Owed
		}
	}
	return all, nil
}

// endRun stops one run by its server-made id, if it is active, queued, or a dead letter.
func (c *control) endRun(ctx context.Context, key store.ThreadKey, id, reason string) (Cancelled, error) {
	view, err := c.store.Read(ctx, key, store.ReadQuery{RunID: id})
	if err != nil || view.Run == nil {
		return Cancelled{}, err
	}
	record, err := stored.Record(view.Run)
	if err != nil {
		return Cancelled{}, err
	}
	terminal, err := protocol.Encode(lifecycle.Cancelled(key, record.Label))
	if err != nil {
		return Cancelled{}, err
	}
	return c.stop(ctx, store.Stop{Thread: key, RunID: id, Letter: true, Reason: reason, Terminal: terminal})
}

// CancelLeft stops one run by its server-made id, label being the client's runId for
// it, because the client that asked for it has left. It does not while anybody else
// watches the thread: here or, up to a minute after the last of them has gone, on
// another node. On a durable store it does not while the run waits in the queue.
// behind: only if an input waits behind it that has come no longer ago than this; 0:
// whatever waits.
func (c *control) CancelLeft(ctx context.Context, key store.ThreadKey, id, label string, behind time.Duration) (Cancelled, error) {
	if c.hub.Watched(key, id) {
		return Cancelled{}, nil
	}
	terminal, err := protocol.Encode(lifecycle.Cancelled(key, label))
	if err != nil {
		return Cancelled{}, err
	}
	return c.stop(ctx, store.Stop{Thread: key, RunID: id, Reason: "its client has left", Terminal: terminal,
		ActiveOnly: c.store.Durable(), Unwatched: true, Behind: behind})
}

func (c *control) stop(ctx context.Context, s store.Stop) (Cancelled, error) {
	s.Request = uuid.NewString()
	key := s.Thread
	result, err := retry.Do(ctx, func() (store.StopResult, error) { return c.store.Stop(ctx, s) })
	if err != nil {
		return Cancelled{}, err
	}
	if result.Stopped && !result.Queued {
		c.active.fence(result.RunID)
	}
	if result.Ready {
		c.capacity.claimLater(key)
	} else {
		c.tidy(key, result.Behind)
	}
	return Cancelled{Stopped: result.Stopped, Owed: result.Events}, nil
}
