package ws

import (
	"context"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
)

// delivery is a thread that a socket follows.
type delivery struct {
	core.Cursor
	session *fullSession
	based   bool      // the client knows position: no ws.stream is due but for switching
	replay  bool      // ws.live is due when the cursor has caught up
	awaits  bool      // inputs of this socket wait on the thread
	repeats []*repeat // not answered yet
	own     ownRuns   // of a socket that may not read
}

// follow subscribes to a thread. It delivers nothing until it is placed.
func (s *fullSession) follow(thread string) *delivery {
	d := &delivery{session: s}
	d.Open(s.srv.Core, s.Peer, thread)
	return d
}

// place starts the delivery, or goes on with it, at where its cursor was put.
func (s *fullSession) place(d *delivery) {
	d.based, d.replay, d.Failures = false, false, 0
	d.askAnew()
	s.threads[d.Key.Thread] = d
	d.LookAgain()
}

// advance moves each cursor that may find something by one page, and pays what
// is owed. It asks to be called again while there is more.
func (s *fullSession) advance(ctx context.Context) error {
	for _, debt := range s.debts.Take() {
		if s.threads[debt.Thread] == nil {
			continue // it was detached from meanwhile
		}
		if err := s.uncounted(debt.Thread, s.positionOf(debt.Thread), debt.Events); err != nil {
			return err
		}
	}
	for _, d := range s.threads {
		if _, err := d.Advance(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

func (d *delivery) Event(event []byte) (over bool, err error) {
	s := d.session
	if !d.Reads() {
		if err := d.ownEvent(event); err != nil {
			return false, err
		}
		return false, s.tellRepeats(d, false)
	}
	if !d.based || s.stream != d.Key.Thread {
		if err := s.base(d); err != nil {
			return false, err
		}
	}
	if err := s.write(event); err != nil {
		return false, err
	}
	if d.awaits && frames.TypeOf(event) == protocol.TypeRunStarted {
		d.awaits = s.srv.Awaiting.Done(d.Key, frames.LabelOf(event), s)
	}
	return false, s.tellRepeats(d, false)
}

func (d *delivery) Restated(a *follow.Attached, deleted bool) (over bool, err error) {
	if deleted {
		if err := d.session.drop(d); err != nil {
			return true, err
		}
		return true, d.session.send(detachedFrame{"ws.detached", "", d.Key.Thread, "deleted"})
	}
	if !d.Reads() {
		return true, d.lostOwn()
	}
	d.askAnew()
	return false, d.session.restate(d, a, "")
}

func (d *delivery) AtEnd() (over bool, err error) {
	if d.replay {
		d.replay = false
		if err := d.session.send(liveFrame{"ws.live", d.Key.Thread, d.Position.Seq}); err != nil {
			return false, err
		}
	}
	return false, d.session.tellRepeats(d, true)
}

func (d *delivery) Failed(why error) error {
	d.session.later(d.Backoff())
	if why == nil {
		return nil
	}
	return d.session.leaveRepeats(d, why)
}

// later makes the cursors that the store failed try again after a while.
func (s *fullSession) later(wait time.Duration) {
	if s.retry == nil {
		s.retry = time.AfterFunc(wait, func() {
			s.again.Store(true)
			s.Poke()
		})
		return
	}
	s.retry.Reset(wait)
}

// base tells the client where the event at the cursor stands: after which one.
func (s *fullSession) base(d *delivery) error {
	d.based, s.stream = true, d.Key.Thread
	return s.send(streamFrame{"ws.stream", d.Key.Thread, d.Position.Epoch, d.Position.Seq - 1, 0})
}

// restate tells the client what is where the cursor was put, in answer to frame
// id or unasked. The delivery goes on from there.
func (s *fullSession) restate(d *delivery, a *follow.Attached, id string) error {
	d.based = false
	frame := attachedFrame{
		Type: "ws.attached", ID: id, ThreadID: d.Key.Thread, Epoch: a.Position.Epoch, Seq: a.Position.Seq,
		Recovered: a.Recovered, ActiveLabel: a.ActiveLabel, Interrupts: a.Interrupts, Queued: a.Queued,
		Older: a.Older, Before: a.Before,
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
	if err := s.uncounted(d.Key.Thread, d.Position, a.Restatement); err != nil {
		return err
	}
	return s.send(liveFrame{"ws.live", d.Key.Thread, d.Position.Seq})
}

// uncounted writes events that are not in the log. A thread that the socket
// does not follow has no position here; what is said for it is forgotten.
func (s *fullSession) uncounted(thread string, at store.Position, events [][]byte) error {
	if !s.Reads() {
		at = store.Position{} // which is none to keep
		events = slices.DeleteFunc(slices.Clone(events), func(event []byte) bool { return !frames.Tells(event) })
	}
	if len(events) == 0 {
		return nil
	}
	s.stream = ""
	if d := s.threads[thread]; d != nil && d.Position == at && s.Reads() {
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
		return d.Position
	}
	return store.Position{}
}

// Owe makes the session pay by its own goroutine.
func (s *fullSession) Owe(thread string, events [][]byte) {
	s.debts.Add(thread, events)
	s.Poke()
}
