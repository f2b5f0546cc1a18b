package adapter

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

const (
	// retireEvery is how often what is past its retention is looked for.
	retireEvery = time.Minute
	// sweepPage is how many due threads are asked for at once. While there are more
	// they are asked for as soon as these are claimed.
	sweepPage = 256
)

// sweep claims what is due, verifies what is followed and retires what is old,
// until Shutdown.
func (r *Runner) sweep() {
	tick := time.NewTicker(r.options.Sweep)
	defer tick.Stop()
	var retired time.Time
	more := false
	for {
		r.aside("sweep", r.findDue)
		r.aside("verify", r.verify)
		if more || time.Since(retired) >= retireEvery {
			more = r.aside("retire", r.retire)
			r.forgetFailing()
			retired = time.Now()
		}
		if !r.rest(tick.C) {
			return
		}
	}
}

// rest waits for the next sweep, and looks for more to claim when that is worth
// it; false: there are no more sweeps.
func (r *Runner) rest(tick <-chan time.Time) bool {
	for {
		select {
		case <-r.quiet:
			return false
		case <-tick:
			return true
		case <-r.claims.wake:
			r.aside("sweep", r.findDue)
		}
	}
}

// aside does one of the sweep's duties, which must not end the others.
func (r *Runner) aside(doing string, fn func(context.Context) bool) (more bool) {
	ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
	defer cancel()
	_ = r.contain(doing, store.ThreadKey{}, func() error { // it is logged
		more = fn(ctx)
		return nil
	})
	return more
}

// findDue puts what is due in line. True: there is more.
func (r *Runner) findDue(ctx context.Context) (more bool) {
	if !r.claims.looking() {
		return true
	}
	asked := time.Now()
	due, err := r.store.Due(ctx, sweepPage)
	r.grace.answered(asked, err)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		r.log.Warn("the sweep could not read what is due", "error", err)
	}
	for _, key := range due {
		r.claimDue(key)
	}
	more = len(due) >= sweepPage
	r.found(more)
	return more
}

func (r *Runner) verify(ctx context.Context) bool {
	if err := r.hub.Verify(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		r.log.Warn("followed threads could not be verified", "error", err)
	}
	return false
}

// retire lets the store forget what is past its retention. True: there is more.
func (r *Runner) retire(ctx context.Context) bool {
	more, err := r.store.Retire(ctx)
	if err != nil && ctx.Err() == nil {
		r.log.Warn("what is past its retention could not be retired", "error", err)
	}
	return more
}
