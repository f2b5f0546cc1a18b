package adapter

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
func (r *Runner) rescueBegun(b store.Begin, start begin, why error) {
	var until time.Time
	r.rescue(b.Thread, b.Label, why, func(ctx context.Context) (bool, error) {
		begun, err := r.store.Dispatch(ctx, b.Thread, b.RunID)
		if err != nil {
			return false, err
		}
		if begun == nil {
			if until.IsZero() {
				until = time.Now().Add(r.options.Lease)
			}
			return time.Now().After(until), nil
		}
		result, err := r.store.Begin(ctx, b) // is recognised
		if err == nil && result.Claim.Token != "" {
			err = r.goOnWith(ctx, result.Claim, func(asked time.Time) { r.carryBegun(b, start, result, asked) })
		}
		return true, err
	})
}

// rescueActivated is rescueBegun for a dispatch that was claimed from the queue.
// Its sender was told that it is accepted: sent again, Activate may start it.
func (r *Runner) rescueActivated(a store.Activation, start begin, why error) {
	r.rescue(a.Claim.Thread, start.label, why, func(ctx context.Context) (bool, error) {
		result, err := r.store.Activate(ctx, a)
		if err == nil && result.Status == store.CommitOK {
			start.seq = result.End.Seq
			err = r.goOnWith(ctx, a.Claim, func(asked time.Time) {
				start.asked = asked
				r.start(start)
			})
		}
		return true, err
	})
}

// goOnWith calls carry with the time at which the claim was asked for anew, unless it
// is lost. Its lease has run since the unanswered call.
func (r *Runner) goOnWith(ctx context.Context, claim store.Claim, carry func(asked time.Time)) error {
	asked := time.Now()
	kept, err := r.store.Renew(ctx, claim)
	if err == nil && kept {
		carry(asked)
	}
	return err
}

// rescue tries until it is done, or fails with more than an unknown outcome. Until
// the store has answered, this node's sweep leaves the thread alone. The run has a
// place meanwhile.
func (r *Runner) rescue(key store.ThreadKey, label string, why error, try func(context.Context) (done bool, err error)) {
	release := r.hold(key)
	r.occupy()
	r.log.Warn("it is not known whether a run has begun: the store is asked until it answers", "thread", key.Thread, "run", label, "error", why)
	r.background(func() {
		defer r.unreserve()
		defer release()
		for wait := 10 * time.Millisecond; r.wait(wait); wait = min(2*wait, rescuePause) {
			ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
			var done bool
			err := r.contain("rescue", key, func() (err error) {
				done, err = try(ctx)
				return err
			})
			cancel()
			switch {
			case errors.Is(err, store.ErrOutcomeUnknown):
				continue
			case err != nil:
				r.log.Error("a run of which it was not known whether it has begun could not be carried on",
					"thread", key.Thread, "run", label, "error", err)
				return
			case done:
				return
			}
			release()
		}
	})
}

// wait waits for a while; false: the runner has ended.
func (r *Runner) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-r.ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// hold keeps this node's sweep from claiming the thread until release is called.
func (r *Runner) hold(key store.ThreadKey) (release func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held[key]++
	held := true
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if !held {
			return
		}
		held = false
		if r.held[key]--; r.held[key] == 0 {
			delete(r.held, key)
		}
	}
}

func (r *Runner) holds(key store.ThreadKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held[key] > 0
}
