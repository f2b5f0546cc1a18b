package carry

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// rescuePause is the longest pause between two questions after a run of which it
// is not known whether it has begun.
const rescuePause = 250 * time.Millisecond

// GoOnWith calls carry with the time at which the claim was asked for anew, unless it
// is lost. Its lease has run since the unanswered call.
func (w *Worker) GoOnWith(ctx context.Context, claim store.Claim, carry func(asked time.Time)) error {
	asked := time.Now()
	kept, err := w.Store.Renew(ctx, claim)
	if err == nil && kept {
		carry(asked)
	}
	return err
}

// Rescue tries until it is done, or fails with more than an unknown outcome. Until
// the store has answered, this node's sweep leaves the thread alone. The run has a
// place meanwhile.
func (w *Worker) Rescue(key store.ThreadKey, label string, why error, try func(context.Context) (done bool, err error)) {
	release := w.Backoff.hold(key)
	w.Capacity.Occupy()
	w.Log.Warn("it is not known whether a run has begun: the store is asked until it answers", "thread", key.Thread, "label", label, "error", why)
	w.Background(func() {
		defer w.Capacity.Release()
		defer release()
		for wait := 10 * time.Millisecond; w.Wait(wait); wait = min(2*wait, rescuePause) {
			ctx, cancel := context.WithTimeout(w.Ctx, w.Options.StoreTimeout)
			var done bool
			err := w.Contain("rescue", key, func() (err error) {
				done, err = try(ctx)
				return err
			})
			cancel()
			switch {
			case errors.Is(err, store.ErrOutcomeUnknown):
				continue
			case err != nil:
				w.Log.Error("a run of which it was not known whether it has begun could not be carried on",
					"thread", key.Thread, "label", label, "error", err)
				return
			case done:
				return
			}
			release()
		}
	})
}
