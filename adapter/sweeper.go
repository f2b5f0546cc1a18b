package adapter

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
)

// retireEvery is how often what is past its retention is looked for.
const retireEvery = time.Minute

// sweeper looks for what nobody tells a node of: lost runs, dispatches that are due,
// deliveries that were missed, and what is past its retention.
type sweeper struct {
	*node
	hub      *follow.Hub
	capacity *capacity
	backoff  *backoff
	grace    *grace
	quotas   *quotas
	over     sync.WaitGroup
}

// sweep claims what is due, verifies what is followed and retires what is old,
// until Shutdown.
func (s *sweeper) sweep() {
	tick := time.NewTicker(s.options.Sweep)
	defer tick.Stop()
	var retired time.Time
	more := false
	for {
		s.aside("sweep", s.findDue)
		s.aside("verify", s.verify)
		s.aside("keep", s.quotas.keep)
		if more || time.Since(retired) >= retireEvery {
			more = s.aside("retire", s.retire)
			s.backoff.forgetFailing()
			retired = time.Now()
		}
		if !s.rest(tick.C) {
			return
		}
	}
}

// rest waits for the next sweep, and looks for more to claim when that is worth
// it; false: there are no more sweeps.
func (s *sweeper) rest(tick <-chan time.Time) bool {
	for {
		select {
		case <-s.quiet:
			return false
		case <-tick:
			return true
		case <-s.capacity.wake:
			s.aside("sweep", s.findDue)
		}
	}
}

// aside does one of the sweep's duties, which must not end the others.
func (s *sweeper) aside(doing string, fn func(context.Context) bool) (more bool) {
	ctx, cancel := context.WithTimeout(s.ctx, s.options.StoreTimeout)
	defer cancel()
	_ = s.contain(doing, store.ThreadKey{}, func() error { // it is logged
		more = fn(ctx)
		return nil
	})
	return more
}

// findDue puts what is due in line. True: there is more.
func (s *sweeper) findDue(ctx context.Context) (more bool) {
	if !s.capacity.looking() {
		return true
	}
	asked := time.Now()
	due, err := s.store.Due(ctx, sweepPage)
	s.grace.answered(asked, err)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		s.log.Warn("the sweep could not read what is due", "error", err)
	}
	for _, key := range due {
		s.capacity.claimDue(key)
	}
	more = len(due) >= sweepPage
	s.capacity.found(more)
	return more
}

func (s *sweeper) verify(ctx context.Context) bool {
	if err := s.hub.Verify(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		s.log.Warn("followed threads could not be verified", "error", err)
	}
	return false
}

// retire lets the store forget what is past its retention. True: there is more.
func (s *sweeper) retire(ctx context.Context) bool {
	more, err := s.store.Retire(ctx)
	if err != nil && ctx.Err() == nil {
		s.log.Warn("what is past its retention could not be retired", "error", err)
	}
	return more
}
