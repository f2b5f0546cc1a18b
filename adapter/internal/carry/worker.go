// Package carry carries the runs that a node has claimed: how many, for whom, and what becomes
// of those that cannot go on.
package carry

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
)

// Worker carries runs that this node has claimed.
type Worker struct {
	*node.Node
	Capacity *Capacity
	Backoff  *Backoff
	Active   *ActiveRuns
	Parking  *execution.Parking
	Presence *Presence
	Quotas   *Quotas
	Calls    Calls
}

// Calls are those of agents by agents.
type Calls interface {
	execution.Calls
	// Look sees to what a thread waits for, and does not wait for that.
	Look(store.ThreadKey)
}

// Launch carries a claimed run in a goroutine of the runner's.
func (w *Worker) Launch(b execution.Begun) {
	w.Capacity.carried(1)
	w.Running.Start(func() {
		defer w.Capacity.carried(-1)
		if b.Over != nil {
			defer close(b.Over)
		}
		err := w.Contain("carry", b.Claim.Thread, func() error { return w.carry(&b) })
		if err != nil && !errors.Is(err, adapter.ErrStopped) && !errors.Is(err, adapter.ErrSuspended) {
			w.Log.Error("a run could not be carried on; another worker takes it over",
				"thread", b.Claim.Thread.Thread, "label", b.Label, "dispatch", b.Claim.RunID, "error", err)
		}
	})
}

// carry calls the agent for one activation, from claim to end.
func (w *Worker) carry(b *execution.Begun) (err error) {
	defer w.Quotas.carry(b.Holding, b.Counts)()
	ctx, cancel := context.WithCancelCause(w.Ctx)
	defer cancel(adapter.ErrStopped)
	ctx, span := w.Traces.Run(ctx, b.Headers, tracing.Of{Thread: b.Claim.Thread.Thread, Run: b.Label, Dispatch: b.Claim.RunID}, b.Attempts)
	defer func() {
		span.End(err != nil && !errors.Is(err, adapter.ErrStopped) && !errors.Is(err, adapter.ErrSuspended))
	}()
	x := execution.NewExecution(ctx, cancel, w.Node, b)
	x.Parking, x.HandsBack, x.Calls = w.Parking, w.Presence.handsBack, w.Calls
	if !w.Active.track(&x.Activation) {
		return w.HandBack(b.Claim)
	}
	defer w.Active.untrack(&x.Activation)
	piped := make(chan struct{})
	go func() {
		defer close(piped)
		x.Pipe.Run()
		cancel(adapter.ErrStopped)
	}()
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		x.Lease.Keep(ctx, cancel)
	}()
	err = x.GoThrough(b)
	handBack := x.HandedBack()
	ended := x.Pipe.Result()
	cancel(adapter.ErrStopped)
	<-piped
	<-renewed
	if handBack {
		return w.HandBack(b.Claim)
	}
	if x.Broken != nil {
		const told = "the run could not be ended in order"
		err = &node.ActivationError{Code: adapter.CodeProtocolViolation, Text: told + ": " + x.Broken.Error(), Told: told}
	}
	if ended.Ready {
		w.Capacity.ClaimLater(b.Claim.Thread)
	}
	err = w.Nack(b.Claim, b.Id, b.Attempts, node.Condemned(err))
	if thread, is := x.Tells(); is {
		w.Calls.Look(thread)
	}
	return err
}

// HandBack gives a claim up, so that any node may go on with the run at once.
func (w *Worker) HandBack(claim store.Claim) error {
	ctx, stop := context.WithTimeout(context.Background(), w.Options.StoreTimeout)
	defer stop()
	return w.Store.HandBack(ctx, claim)
}
