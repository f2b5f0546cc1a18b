package runner

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// rescuePause is the longest pause between two questions after a run of which it
// is not known whether it has begun.
const rescuePause = 250 * time.Millisecond

// rescueBegun carries a run whose Begin was sent and never answered, if it turns
// out to have begun: nobody else knows that its agent was not called, and whoever
// took it over would have to give it up. It only asks, and begins nothing: the
// sender was told to send the input again, and may have chosen not to. A Begin that
// was on its way may be carried out when the store answers again; that is waited
// for as long as a lease.
func (a *admission) rescueBegun(b store.Begin, run begun, why error) {
	var until time.Time
	a.worker.rescue(b.Thread, b.Label, why, func(ctx context.Context) (bool, error) {
		dispatch, err := a.store.Dispatch(ctx, b.Thread, b.RunID)
		if err != nil {
			return false, err
		}
		if dispatch == nil {
			if until.IsZero() {
				until = time.Now().Add(a.options.Lease)
			}
			return time.Now().After(until), nil
		}
		result, err := a.store.Begin(ctx, b) // is recognised
		if err == nil && result.Claim.Token != "" {
			err = a.worker.goOnWith(ctx, result.Claim, func(asked time.Time) { a.carryBegun(b, run, result, asked) })
		}
		return true, err
	})
}

// goOnWith calls carry with the time at which the claim was asked for anew, unless it
// is lost. Its lease has run since the unanswered call.
func (w *worker) goOnWith(ctx context.Context, claim store.Claim, carry func(asked time.Time)) error {
	asked := time.Now()
	kept, err := w.store.Renew(ctx, claim)
	if err == nil && kept {
		carry(asked)
	}
	return err
}

// rescue tries until it is done, or fails with more than an unknown outcome. Until
// the store has answered, this node's sweep leaves the thread alone. The run has a
// place meanwhile.
func (w *worker) rescue(key store.ThreadKey, label string, why error, try func(context.Context) (done bool, err error)) {
	release := w.backoff.hold(key)
	w.capacity.occupy()
	w.log.Warn("it is not known whether a run has begun: the store is asked until it answers", "thread", key.Thread, "label", label, "error", why)
	w.background(func() {
		defer w.capacity.release()
		defer release()
		for wait := 10 * time.Millisecond; w.wait(wait); wait = min(2*wait, rescuePause) {
			ctx, cancel := context.WithTimeout(w.ctx, w.options.StoreTimeout)
			var done bool
			err := w.contain("rescue", key, func() (err error) {
				done, err = try(ctx)
				return err
			})
			cancel()
			switch {
			case errors.Is(err, store.ErrOutcomeUnknown):
				continue
			case err != nil:
				w.log.Error("a run of which it was not known whether it has begun could not be carried on",
					"thread", key.Thread, "label", label, "error", err)
				return
			case done:
				return
			}
			release()
		}
	})
}
