package dispatch

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
)

// retireEvery is how often what is past its retention is looked for.
const retireEvery = time.Minute

// MaxNudges is how many nodes' releases wait to be looked at. The sweep finds others.
const MaxNudges = 256

// Sweeper looks for what nobody tells a node of: lost runs, dispatches that are due,
// deliveries that were missed, and what is past its retention.
type Sweeper struct {
	*node.Node
	Hub      *follow.Hub
	Capacity *carry.Capacity
	Backoff  *carry.Backoff
	Grace    *Grace
	Quotas   *carry.Quotas
	Finish   func(context.Context) bool // deletions that others have begun
	Nudges   chan store.Delivery        // of work that other nodes have released
	awaits   atomic.Bool                // the store has this node wait for it, and needs no nudges
	Over     sync.WaitGroup
}

// Sweep claims what is due, verifies what is followed and retires what is old,
// until Shutdown.
func (s *Sweeper) Sweep() {
	tick := time.NewTicker(s.Options.Sweep)
	defer tick.Stop()
	var retired time.Time
	more := false
	for {
		s.aside("sweep", s.findDue)
		s.aside("verify", s.verify)
		s.aside("keep", s.Quotas.Keep)
		if more || time.Since(retired) >= retireEvery {
			more = s.aside("retire", s.retire)
			more = s.aside("payloads", s.settlePayloads) || more
			more = s.aside("finish deletes", s.Finish) || more
			s.Backoff.ForgetFailing()
			retired = time.Now()
		}
		if !s.rest(tick.C) {
			return
		}
	}
}

// rest waits for the next sweep, and looks for more to claim when that is worth
// it; false: there are no more sweeps.
func (s *Sweeper) rest(tick <-chan time.Time) bool {
	for {
		select {
		case <-s.Quiet:
			return false
		case <-tick:
			return true
		case <-s.Capacity.Wake:
			s.aside("sweep", s.findMore)
		case d := <-s.Nudges:
			s.aside("work", func(ctx context.Context) bool { return s.takeNear(ctx, d) })
		}
	}
}

// Nudged notes that another node has released work. It does not block.
func (s *Sweeper) Nudged(d store.Delivery) {
	if !slices.Contains(s.Agents, d.Agent) {
		return
	}
	if room, _ := s.Capacity.Spare(); room > 0 && s.awaits.Load() {
		return // one node is given it, and no other need ask
	}
	select {
	case s.Nudges <- d:
	default:
	}
}

// takeNear takes one of what another node has released, if there is room for it.
func (s *Sweeper) takeNear(ctx context.Context, d store.Delivery) bool {
	if !s.Capacity.RoomForOne() {
		return true
	}
	work, err := s.Store.Work(ctx, store.WorkQuery{Agents: []string{d.Agent}, Limit: 1, Near: d.Thread})
	if err != nil && ctx.Err() == nil {
		s.Log.Debug("work that another node has released could not be read; the sweep finds it", "error", err)
	}
	s.take(ctx, work)
	return false
}

// take lines up what the store has delivered, and returns what is left to others or has no
// place here: while this node has it, none of them is given it.
func (s *Sweeper) take(ctx context.Context, work []store.Work) {
	var theirs []store.Work
	beyond := false
	for room, w := s.Capacity.Room(), work; len(w) > 0; w = w[1:] {
		switch {
		case s.Backoff.LeavesToOthers(w[0].Thread):
			theirs = append(theirs, w[0])
		case room <= 0 && w[0].Entry != "": // another read has taken the place it was asked for
			theirs, beyond = append(theirs, w[0]), true
		default:
			s.Capacity.ClaimDue(w[0])
			room--
		}
	}
	s.Capacity.GiveBack(ctx, theirs)
	if beyond {
		s.Capacity.Found(true)
	}
}

// aside does one of the sweep's duties, which must not end the others.
func (s *Sweeper) aside(doing string, fn func(context.Context) bool) (more bool) {
	ctx, cancel := context.WithTimeout(s.Ctx, s.Options.StoreTimeout)
	defer cancel()
	_ = s.Contain(doing, store.ThreadKey{}, func() error { // it is logged
		more = fn(ctx)
		return nil
	})
	return more
}

// findDue has what has come due noticed, and takes as much of it as there is room for.
// True: there is more.
func (s *Sweeper) findDue(ctx context.Context) (more bool) { return s.find(ctx, false) }

// findMore is findDue where more is known to wait.
func (s *Sweeper) findMore(ctx context.Context) (more bool) { return s.find(ctx, true) }

func (s *Sweeper) find(ctx context.Context, backlog bool) (more bool) {
	s.Capacity.RetryAside()
	limit, known := s.Capacity.Looking()
	asked := time.Now()
	work, err := s.Store.Work(ctx, store.WorkQuery{Agents: s.Agents, Limit: limit, Orphaned: max(s.Options.AgentWait, 1), Backlog: backlog || known})
	s.Grace.answered(asked, err)
	if err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		s.Log.Warn("the sweep could not read what is due", "error", err)
	}
	s.take(ctx, work)
	more = len(work) >= limit
	s.Capacity.Found(more)
	return more
}

func (s *Sweeper) verify(ctx context.Context) bool {
	if err := s.Hub.Verify(ctx); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrPartial) {
		s.Log.Warn("followed threads could not be verified", "error", err)
	}
	return false
}

// retire lets the store forget what is past its retention. True: there is more.
func (s *Sweeper) retire(ctx context.Context) bool {
	more, err := s.Store.Retire(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("data past its retention could not be removed", "error", err)
	}
	return more
}
