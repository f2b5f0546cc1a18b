package gateway

import (
	"context"
	"errors"
	"time"
)

// place has a step wait for a place before its request, as long as a request may take at
// most. A replayed step waits for none.
func (c *call) place(r *request) func(context.Context) error {
	return func(ctx context.Context) error {
		c.leave()
		free, err := c.u.place(ctx)
		c.free, r.noPlace = free, nil
		if f, ok := errors.AsType[*failure](err); ok {
			c.u.observe(Observation{Code: f.Code})
			c.u.logFailure(c.run, r.ids, f)
			switch {
			case r.answers == nil:
				return f.told()
			case !r.later:
				return f.givenBack()
			}
			f.undelivered = true
			r.noPlace = f
			return nil
		}
		return err
	}
}

// place waits until another request may be made here. The caller calls free.
func (u *Upstream) place(ctx context.Context) (free func(), err error) {
	select {
	case u.places <- struct{}{}:
	default:
		u.stats.waiting.Add(1)
		defer u.stats.waiting.Add(-1)
		enough := time.NewTimer(u.options.RunTimeout)
		defer enough.Stop()
		select {
		case u.places <- struct{}{}:
		case <-enough.C:
			return nil, failed(CodeTimeout, "other requests to the agent left no place for %v", u.options.RunTimeout)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	u.stats.inFlight.Add(1)
	return func() {
		u.stats.inFlight.Add(-1)
		<-u.places
	}, nil
}
