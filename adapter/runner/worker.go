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
	control  *control
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
	x := &execution{
		activation: activation{
			claim: b.claim, ctx: ctx, cancel: cancel,
			lease: newLease(w.store, b.claim, w.options.Lease, b.asked),
			pipe:  newPipeline(w.store, b.claim, b.number, b.seq),
		},
		node: w.node, parking: w.parking, presence: w.presence,
		agent: w.options.Agents[b.agent], named: b.agent, label: b.label, id: b.id, frozen: b.frozen, given: b.given, headers: b.headers,
		continuing: b.continuing, stored: b.snapshot, hasParts: hasParts(b.view), version: b.view.Version,
		allowed: w.options.roomFor(b.view.Bytes),
	}
	x.room = x.allowed
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
	err := x.prepare(b)
	if err == nil {
		if x.journal.stopped {
			err = x.stopHere()
		} else if x.journal.failure != "" {
			err = x.giveUp(x.journal.failure, "an interrupt expired before it was answered")
		} else if x.frozen.Restores {
			x.finish(nil)
		} else if x.agent == nil {
			err = unknownAgent(x.named, b.orphan, x.journal)
		} else if x.blocking() {
			err = x.callBlocking()
		} else {
			x.call()
		}
		if err != nil {
			w.parking.dismiss(x.id)
		}
	}
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
