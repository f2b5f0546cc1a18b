package server

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// delivery is a thread that a socket follows: a cursor, and what of it was
// written. Only ready is touched by other goroutines than the session's.
type delivery struct {
	thread   string
	follower follower
	position store.Position // of the last event written to this socket
	based    bool           // the client knows position: no ws.stream is due but for switching
	replay   bool           // ws.live is due when the cursor has caught up
	failures int            // of the store, in a row
	awaits   bool           // inputs of this socket wait on the thread
	repeats  []*repeat      // not answered yet
	ready    atomic.Bool    // the cursor may find something
}

// follow subscribes to a thread. It delivers nothing until it is placed.
func (s *fullSession) follow(thread string) *delivery {
	d := &delivery{thread: thread}
	d.follower = s.srv.runs.Follow(s.key(thread), func() {
		d.ready.Store(true)
		s.poke()
	})
	return d
}

// place starts the delivery, or moves it, to what follows at.
func (s *fullSession) place(d *delivery, at store.Position) {
	d.position, d.based, d.replay, d.failures = at, false, false, 0
	d.askAnew()
	s.threads[d.thread] = d
	d.ready.Store(true)
	s.poke()
}

// advance moves each cursor that may find something by one page, and pays what
// is owed. It asks to be called again while there is more.
func (s *fullSession) advance(ctx context.Context) error {
	for _, debt := range s.debts.take() {
		if s.threads[debt.thread] == nil {
			continue // it was detached from meanwhile
		}
		if err := s.uncounted(debt.thread, s.positionOf(debt.thread), debt.events); err != nil {
			return err
		}
	}
	for _, d := range s.threads {
		if !d.ready.Swap(false) {
			continue
		}
		if err := s.step(ctx, d); err != nil {
			return err
		}
		if d.ready.Load() {
			s.poke()
		}
	}
	return nil
}

// step writes what the cursor finds next.
func (s *fullSession) step(ctx context.Context, d *delivery) error {
	page, err := d.follower.Next(ctx)
	if err != nil {
		if s.ctx.Err() != nil {
			return context.Cause(s.ctx)
		}
		s.later(d)
		s.log.Warn("following a thread failed", "thread", d.thread, "error", err)
		return s.leaveRepeats(d, err)
	}
	d.failures = 0
	if page.Deleted {
		if err := s.drop(d); err != nil {
			return err
		}
		return s.send(detachedFrame{"ws.detached", "", d.thread, "deleted"})
	}
	if page.Restated != nil {
		d.ready.Store(true)
		d.askAnew()
		return s.restate(d, page.Restated, "")
	}
	for _, event := range page.Events {
		if !d.based || s.stream != d.thread {
			if err := s.base(d, 0); err != nil {
				return err
			}
		}
		if err := s.write(event); err != nil {
			return err
		}
		d.position.Seq++
		if d.awaits && typeOf(event) == protocol.TypeRunStarted {
			d.awaits = s.srv.waiting.done(s.key(d.thread), labelOf(event), s)
		}
		if err := s.tellRepeats(d, false); err != nil {
			return err
		}
	}
	switch {
	case page.CaughtUp:
		if d.replay {
			d.replay = false
			if err := s.send(liveFrame{"ws.live", d.thread, d.position.Seq}); err != nil {
				return err
			}
		}
		return s.tellRepeats(d, true)
	case len(page.Events) > 0:
		d.ready.Store(true)
	default:
		s.later(d)
	}
	return nil
}

// later makes the cursor try again after a while.
func (s *fullSession) later(d *delivery) {
	wait := min(backoffFirst<<min(d.failures, 10), backoffMost)
	d.failures++
	if s.retry == nil {
		s.retry = time.AfterFunc(wait, func() {
			s.again.Store(true)
			s.poke()
		})
		return
	}
	s.retry.Reset(wait)
}

// base tells the client where the next event of the thread stands; the next n
// events stand nowhere.
func (s *fullSession) base(d *delivery, n int) error {
	d.based, s.stream = true, d.thread
	return s.send(streamFrame{"ws.stream", d.thread, d.position.Epoch, d.position.Seq, n})
}

// restate tells the client what is, in answer to frame id or unasked. The
// delivery goes on from there.
func (s *fullSession) restate(d *delivery, a *follow.Attached, id string) error {
	d.position, d.based = a.Position, false
	frame := attachedFrame{
		Type: "ws.attached", ID: id, ThreadID: d.thread, Epoch: a.Position.Epoch, Seq: a.Position.Seq,
		Recovered: a.Recovered, ActiveRunID: a.ActiveRunID, Interrupts: a.Interrupts, Queued: a.Queued,
	}
	if !a.Recovered {
		frame.Reason = a.Reason
	}
	if frame.Interrupts == nil {
		frame.Interrupts = emptyInterrupts
	}
	if frame.Queued == nil {
		frame.Queued = emptyQueue
	}
	if err := s.send(frame); err != nil {
		return err
	}
	d.replay = a.Recovered
	if a.Recovered {
		return nil
	}
	if err := s.uncounted(d.thread, d.position, a.Restatement); err != nil {
		return err
	}
	return s.send(liveFrame{"ws.live", d.thread, d.position.Seq})
}

// uncounted writes events that are not in the log. A thread that the socket
// does not follow has no position here; what is said for it is forgotten.
func (s *fullSession) uncounted(thread string, at store.Position, events [][]byte) error {
	if len(events) == 0 {
		return nil
	}
	s.stream = ""
	if d := s.threads[thread]; d != nil && d.position == at {
		d.based, s.stream = true, thread
	}
	if err := s.send(streamFrame{"ws.stream", thread, at.Epoch, at.Seq, len(events)}); err != nil {
		return err
	}
	for _, event := range events {
		if err := s.write(event); err != nil {
			return err
		}
	}
	return nil
}

// positionOf is where the socket stands in a thread; nowhere if it does not
// follow it.
func (s *fullSession) positionOf(thread string) store.Position {
	if d := s.threads[thread]; d != nil {
		return d.position
	}
	return store.Position{}
}
