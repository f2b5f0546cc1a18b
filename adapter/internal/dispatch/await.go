package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/store"
)

// Await has the store hand this node work as it comes, while there is room for it, until
// Shutdown. Nudges and the sweep find the work if the store cannot do so, or fails to.
func (s *Sweeper) Await() {
	fails := false
	for !s.Draining() {
		room, flips := s.Capacity.Spare()
		if room == 0 {
			select {
			case <-flips:
			case <-s.Quiet:
			}
			continue
		}
		err := s.Contain("await", store.ThreadKey{}, func() error { return s.awaitOnce(min(room, carry.SweepPage), flips) })
		s.awaits.Store(err == nil)
		unable := errors.Is(err, store.ErrCannotAwait)
		switch {
		case unable, s.Draining():
		case err == nil && fails:
			fails = false
			s.Log.Info("work is awaited again")
		// A store that does not answer is told of once, whichever call meets it.
		case err != nil && !fails && !errors.Is(err, store.ErrOutcomeUnknown):
			fails = true
			s.Log.Warn("work cannot be awaited: nudges and the sweep find it", "error", err)
		}
		if unable || err != nil && !s.restAwhile() {
			return
		}
	}
}

// awaitOnce takes what comes first, unless flips is closed before.
func (s *Sweeper) awaitOnce(room int, flips <-chan struct{}) error {
	work, err := s.awaitUntil(flips, store.WorkQuery{Agents: s.Agents, Limit: room})
	s.take(s.Ctx, work)
	if len(work) >= room {
		// No await is given what the store has put back beyond them: the sweep finds it.
		s.Capacity.Found(true)
	}
	return err
}

func (s *Sweeper) awaitUntil(flips <-chan struct{}, q store.WorkQuery) ([]store.Work, error) {
	ctx, cancel := context.WithCancel(s.Ctx)
	over := make(chan struct{})
	defer func() {
		cancel()
		<-over
	}()
	go func() {
		defer close(over)
		select {
		case <-flips:
		case <-s.Quiet:
		case <-ctx.Done():
		}
		cancel()
	}()
	return s.Store.Await(ctx, q)
}

// restAwhile waits before the next try; false: there is none.
func (s *Sweeper) restAwhile() bool {
	timer := time.NewTimer(s.Options.Sweep)
	defer timer.Stop()
	select {
	case <-s.Quiet:
		return false
	case <-timer.C:
		return true
	}
}
