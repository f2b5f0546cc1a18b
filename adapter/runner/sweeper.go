package runner

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
)

// retireEvery is how often what is past its retention is looked for.
const retireEvery = time.Minute

// maxNudges is how many nodes' releases wait to be looked at. The sweep finds others.
const maxNudges = 256

// sweeper looks for what nobody tells a node of: lost runs, dispatches that are due,
// deliveries that were missed, and what is past its retention.
type sweeper struct {
	*node
	hub      *follow.Hub
	capacity *capacity
	backoff  *backoff
	grace    *grace
	quotas   *quotas
	finish   func(context.Context) bool // deletions that others have begun
	nudges   chan store.Delivery        // of work that other nodes have released
	awaits   atomic.Bool                // the store has this node wait for it, and needs no nudges
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
			more = s.aside("payloads", s.settlePayloads) || more
			more = s.aside("finish deletes", s.finish) || more
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
			s.aside("sweep", s.findMore)
		case d := <-s.nudges:
			s.aside("work", func(ctx context.Context) bool { return s.takeNear(ctx, d) })
		}
	}
}

// nudged notes that another node has released work. It does not block.
func (s *sweeper) nudged(d store.Delivery) {
	if !slices.Contains(s.agents, d.Agent) {
		return
	}
	if room, _ := s.capacity.spare(); room > 0 && s.awaits.Load() {
		return // one node is given it, and no other need ask
	}
	select {
	case s.nudges <- d:
	default:
	}
}

// takeNear takes one of what another node has released, if there is room for it.
func (s *sweeper) takeNear(ctx context.Context, d store.Delivery) bool {
	if !s.capacity.roomForOne() {
		return true
	}
	work, err := s.store.Work(ctx, store.WorkQuery{Agents: []string{d.Agent}, Limit: 1, Near: d.Thread})
	if err != nil && ctx.Err() == nil {
		s.log.Debug("work that another node has released could not be read; the sweep finds it", "error", err)
	}
	s.take(ctx, work)
	return false
}

// take lines up what the store has delivered, and returns what is left to others or has no
// place here: while this node has it, none of them is given it.
func (s *sweeper) take(ctx context.Context, work []store.Work) {
	var theirs []store.Work
	beyond := false
	for room, w := s.capacity.room(), work; len(w) > 0; w = w[1:] {
		switch {
		case s.backoff.leavesToOthers(w[0].Thread):
			theirs = append(theirs, w[0])
		case room <= 0 && w[0].Entry != "": // another read has taken the place it was asked for
			theirs, beyond = append(theirs, w[0]), true
		default:
			s.capacity.claimDue(w[0])
			room--
		}
	}
	s.capacity.giveBack(ctx, theirs)
	if beyond {
		s.capacity.found(true)
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

// findDue has what has come due noticed, and takes as much of it as there is room for.
// True: there is more.
func (s *sweeper) findDue(ctx context.Context) (more bool) { return s.find(ctx, false) }

// findMore is findDue where more is known to wait.
func (s *sweeper) findMore(ctx context.Context) (more bool) { return s.find(ctx, true) }

func (s *sweeper) find(ctx context.Context, backlog bool) (more bool) {
	s.capacity.retryAside()
	limit, known := s.capacity.looking()
	asked := time.Now()
	work, err := s.store.Work(ctx, store.WorkQuery{Agents: s.agents, Limit: limit, Orphaned: max(s.options.AgentWait, 1), Backlog: backlog || known})
	s.grace.answered(asked, err)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		s.log.Warn("the sweep could not read what is due", "error", err)
	}
	s.take(ctx, work)
	more = len(work) >= limit
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
		s.log.Warn("data past its retention could not be removed", "error", err)
	}
	return more
}
