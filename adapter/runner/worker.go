package runner

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// worker carries runs that this node has claimed.
type worker struct {
	*node
	capacity *capacity
	backoff  *backoff
	active   *activeRuns
	parking  *parking
	presence *presence
	quotas   *quotas
}

// launch carries a claimed run in a goroutine of the runner's.
func (w *worker) launch(b begun) {
	w.capacity.carried(1)
	w.running.start(func() {
		defer w.capacity.carried(-1)
		if b.over != nil {
			defer close(b.over)
		}
		err := w.contain("carry", b.claim.Thread, func() error { return w.carry(&b) })
		if err != nil && !errors.Is(err, adapter.ErrStopped) && !errors.Is(err, adapter.ErrSuspended) {
			w.log.Error("a run could not be carried on; another worker takes it over",
				"thread", b.claim.Thread.Thread, "label", b.label, "dispatch", b.claim.RunID, "error", err)
		}
	})
}

// carry calls the agent for one activation, from claim to end.
func (w *worker) carry(b *begun) error {
	defer w.quotas.carry(b.holding, b.counts)()
	ctx, cancel := context.WithCancelCause(w.ctx)
	defer cancel(adapter.ErrStopped)
	x := newExecution(ctx, cancel, w.node, b)
	x.parking, x.handsBack = w.parking, w.presence.handsBack
	if !w.active.track(&x.activation) {
		return w.handBack(b.claim)
	}
	defer w.active.untrack(&x.activation)
	piped := make(chan struct{})
	go func() {
		defer close(piped)
		x.pipe.run(ctx)
		cancel(adapter.ErrStopped)
	}()
	renewed := make(chan struct{})
	go func() {
		defer close(renewed)
		x.lease.keep(ctx, cancel)
	}()
	err := x.goThrough(b)
	handBack := x.handedBack()
	ended := x.pipe.result()
	cancel(adapter.ErrStopped)
	<-piped
	<-renewed
	if handBack {
		return w.handBack(b.claim)
	}
	if x.broken != nil {
		const told = "the run could not be ended in order"
		err = &activationError{code: adapter.CodeProtocolViolation, text: told + ": " + x.broken.Error(), told: told}
	}
	if ended.Ready {
		w.capacity.claimLater(b.claim.Thread)
	}
	return w.nack(b.claim, b.id, b.attempts, condemned(err))
}

// handBack gives a claim up, so that any node may go on with the run at once.
func (w *worker) handBack(claim store.Claim) error {
	ctx, stop := context.WithTimeout(context.Background(), w.options.StoreTimeout)
	defer stop()
	return w.store.HandBack(ctx, claim)
}
