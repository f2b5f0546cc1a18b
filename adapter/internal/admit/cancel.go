package admit

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Control stops runs, whichever node carries them.
type Control struct {
	*node.Node
	Active   *carry.ActiveRuns
	Capacity *carry.Capacity
	Backoff  *carry.Backoff
	Hub      *follow.Hub
	Turns    *turns
	// Calls are told when a run has ended that was called, and end what a run was about to end
	// that is stopped itself.
	Calls carry.Calls
	owes  atomic.Pointer[admission.CancelledInQueue]
}

// OnCancelled sets the one function that is told. Threads that nobody follows
// here are not heard of.
func (c *Control) OnCancelled(f admission.CancelledInQueue) { c.owes.Store(&f) }

func (c *Control) Cancelled(d store.Delivery) {
	owe := c.owes.Load()
	if owe == nil {
		return
	}
	e, err := protocol.Decode(d.Events[0])
	started, ok := e.(*protocol.RunStarted)
	if err != nil || !ok {
		c.Log.Warn("an input was stopped with events that are none", "thread", d.Thread.Thread, "error", err)
		return
	}
	(*owe)(d.Thread, started.RunID, d.Events)
}

// EndAll stops the active run and the inputs that wait, as stop says; open interrupts stay open.
// It repairs what cannot be read and is in the way.
func (c *Control) EndAll(ctx context.Context, stop store.StopAll) (admission.AllStopped, error) {
	key := stop.Thread
	stop.Request = uuid.NewString()
	i, err := c.stopAll(ctx, stop)
	if errors.Is(err, store.ErrCorrupted) {
		var all store.StopAllResult
		all, err = c.Active.Repair(ctx, key, stop.Reason)
		i = admission.AllStopped{Active: all.Active, Superseded: all.Superseded, Epoch: all.Epoch}
	}
	c.Backoff.Mended(key)
	return i, err
}

func (c *Control) stopAll(ctx context.Context, i store.StopAll) (admission.AllStopped, error) {
	key := i.Thread
	for range node.MaxTries {
		view, err := c.Store.Read(ctx, key, store.ReadQuery{})
		if err != nil {
			return admission.AllStopped{}, err
		}
		i.Active, i.Terminal = "", nil
		callers := queuedBy(view)
		if view.Active != nil {
			record, err := stored.Record(view.Active)
			if err != nil {
				return admission.AllStopped{}, err
			}
			callers = append(callers, record.Caller)
			if err := c.instead(ctx, key, record); err != nil {
				return admission.AllStopped{}, err
			}
			i.Active = view.Active.ID
			if i.Terminal, err = protocol.Encode(lifecycle.Cancelled(key, record.Label)); err != nil {
				return admission.AllStopped{}, err
			}
		}
		result, err := retry.Do(ctx, func() (store.StopAllResult, error) { return c.Store.StopAll(ctx, i) })
		if err != nil {
			return admission.AllStopped{}, err
		}
		if result.Stale {
			continue
		}
		if result.Active != "" {
			c.Active.Fence(result.Active)
		}
		c.tidy(key, result.Behind)
		c.ended(key, callers...)
		return admission.AllStopped{Active: result.Active, Superseded: result.Superseded, Epoch: result.Epoch}, nil
	}
	return admission.AllStopped{}, fmt.Errorf("%w: the thread changes too fast for all of it to be stopped", store.ErrOutcomeUnknown)
}

// queuedBy are the calls among the inputs that wait.
func queuedBy(view *store.ThreadView) (callers []*store.Caller) {
	for _, q := range view.Queue {
		if record, err := stored.Record(&store.RunState{Record: q.Record}); err == nil {
			callers = append(callers, record.Caller)
		}
	}
	return callers
}

// EndRuns stops all runs under the label that are active or queued, the latest first: a
// queued run does not begin because the active one ends. by is as store.Dispatch.StoppedBy.
func (c *Control) EndRuns(ctx context.Context, key store.ThreadKey, label, by string) (admission.Cancelled, error) {
	var all admission.Cancelled
	terminal, err := protocol.Encode(lifecycle.Cancelled(key, label))
	if err != nil {
		return all, err
	}
	callers, err := c.insteadUnder(ctx, key, label)
	if err != nil {
		return all, err
	}
	for range c.Options.MaxQueue + 2 { // more only if others begin meanwhile
		one, err := c.stop(ctx, store.Stop{Thread: key, Label: label, By: by, Terminal: terminal})
		if err != nil || !one.Stopped {
			return all, err
		}
		c.ended(key, callers...)
		all.Stopped = true
		if all.Owed == nil {
			all.Owed = one.Owed
		}
	}
	return all, nil
}

// EndRun stops one run by its server-made id, if it is active, queued, or a dead letter.
// by is as store.Dispatch.StoppedBy.
func (c *Control) EndRun(ctx context.Context, key store.ThreadKey, id, reason, by string) (admission.Cancelled, error) {
	record, err := c.insteadOf(ctx, key, id)
	if err != nil || record == nil {
		return admission.Cancelled{}, err
	}
	terminal, err := protocol.Encode(lifecycle.Cancelled(key, record.Label))
	if err != nil {
		return admission.Cancelled{}, err
	}
	one, err := c.stop(ctx, store.Stop{Thread: key, RunID: id, Letter: true, Reason: reason, By: by, Terminal: terminal})
	c.ended(key, record.Caller)
	return one, err
}

// CancelLeft stops one run by its server-made id, label being the client's runId for
// it, because the client that asked for it has left. It does not while anybody else
// watches the thread: here or, up to a minute after the last of them has gone, on
// another node. Nor does it while the run waits in the queue.
// behind: only if an input waits behind it that has come no longer ago than this; 0:
// whatever waits.
func (c *Control) CancelLeft(ctx context.Context, key store.ThreadKey, id, label string, behind time.Duration) (admission.Cancelled, error) {
	if c.Hub.Watched(key, id) {
		return admission.Cancelled{}, nil
	}
	record, err := c.insteadOf(ctx, key, id)
	if err != nil || record == nil {
		return admission.Cancelled{}, err
	}
	terminal, err := protocol.Encode(lifecycle.Cancelled(key, label))
	if err != nil {
		return admission.Cancelled{}, err
	}
	one, err := c.stop(ctx, store.Stop{Thread: key, RunID: id, Reason: "its client has left", Terminal: terminal,
		ActiveOnly: true, Unwatched: true, Behind: behind})
	if one.Stopped {
		c.ended(key, record.Caller)
	}
	return one, err
}

func (c *Control) stop(ctx context.Context, s store.Stop) (admission.Cancelled, error) {
	s.Request = uuid.NewString()
	key := s.Thread
	result, err := retry.Do(ctx, func() (store.StopResult, error) { return c.Store.Stop(ctx, s) })
	if err != nil {
		return admission.Cancelled{}, err
	}
	if result.Stopped && !result.Queued {
		c.Active.Fence(result.RunID)
	}
	if result.Ready {
		c.Capacity.ClaimLater(key)
	} else {
		c.tidy(key, result.Behind)
	}
	return admission.Cancelled{Stopped: result.Stopped, Owed: result.Events}, nil
}

// ended is told of runs of a thread that are over, of which some may have been called.
func (c *Control) ended(key store.ThreadKey, callers ...*store.Caller) {
	for _, by := range callers {
		if by != nil {
			c.Calls.Look(store.ThreadKey{Namespace: key.Namespace, Thread: by.Thread})
		}
	}
}

// instead ends what runs were about to end that are to be stopped.
func (c *Control) instead(ctx context.Context, key store.ThreadKey, runs ...store.RunRecord) error {
	for _, run := range runs {
		for _, child := range run.LeftCalls {
			if err := c.Calls.End(ctx, key, child, run.User); err != nil {
				return err
			}
		}
	}
	return nil
}

// insteadOf is instead for one run, whose record it returns; nil: it is not kept.
func (c *Control) insteadOf(ctx context.Context, key store.ThreadKey, id string) (*store.RunRecord, error) {
	view, err := c.Store.Read(ctx, key, store.ReadQuery{RunID: id, Window: 1})
	if err != nil || view.Run == nil {
		return nil, err
	}
	record, err := stored.Record(view.Run)
	if err != nil {
		return nil, err
	}
	return &record, c.instead(ctx, key, record)
}

// insteadUnder is instead for the runs under a label. It returns their callers.
func (c *Control) insteadUnder(ctx context.Context, key store.ThreadKey, label string) (callers []*store.Caller, err error) {
	view, err := c.Store.Read(ctx, key, store.ReadQuery{Label: label, Window: 1})
	if err != nil {
		return nil, err
	}
	var runs []store.RunRecord
	for _, state := range view.Labelled {
		if state.Status != store.RunActive && state.Status != store.RunQueued {
			continue
		}
		if record, err := stored.Record(&state); err == nil {
			runs, callers = append(runs, record), append(callers, record.Caller)
		}
	}
	return callers, c.instead(ctx, key, runs...)
}
