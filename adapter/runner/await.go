package runner

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// await has the store hand this node work as it comes, while there is room for it, until
// Shutdown. Nudges and the sweep find the work if the store cannot do so, or fails to.
func (s *sweeper) await() {
	fails := false
	for !s.draining() {
		room, flips := s.capacity.spare()
		if room == 0 {
			select {
			case <-flips:
			case <-s.quiet:
			}
			continue
		}
		err := s.contain("await", store.ThreadKey{}, func() error { return s.awaitOnce(min(room, sweepPage), flips) })
		s.awaits.Store(err == nil)
		unable := errors.Is(err, store.ErrCannotAwait)
		switch {
		case unable, s.draining():
		case err == nil && fails:
			fails = false
			s.log.Info("work is awaited again")
		// A store that does not answer is told of once, whichever call meets it.
		case err != nil && !fails && !errors.Is(err, store.ErrOutcomeUnknown):
			fails = true
			s.log.Warn("work cannot be awaited: nudges and the sweep find it", "error", err)
		}
		if unable || err != nil && !s.restAwhile() {
			return
		}
	}
}

// awaitOnce takes what comes first, unless flips is closed before.
func (s *sweeper) awaitOnce(room int, flips <-chan struct{}) error {
	work, err := s.awaitUntil(flips, store.WorkQuery{Agents: s.agents, Limit: room})
	s.take(s.ctx, work)
	if len(work) >= room {
		// No await is given what the store has put back beyond them: the sweep finds it.
		s.capacity.found(true)
	}
	return err
}

func (s *sweeper) awaitUntil(flips <-chan struct{}, q store.WorkQuery) ([]store.Work, error) {
	ctx, cancel := context.WithCancel(s.ctx)
	over := make(chan struct{})
	defer func() {
		cancel()
		<-over
	}()
	go func() {
		defer close(over)
		select {
		case <-flips:
		case <-s.quiet:
		case <-ctx.Done():
		}
		cancel()
	}()
	return s.store.Await(ctx, q)
}

// restAwhile waits before the next try; false: there is none.
func (s *sweeper) restAwhile() bool {
	timer := time.NewTimer(s.options.Sweep)
	defer timer.Stop()
	select {
	case <-s.quiet:
		return false
	case <-timer.C:
		return true
	}
}
