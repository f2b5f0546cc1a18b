package ws

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

var (
	emptyInterrupts = []json.RawMessage{}
	emptyQueue      = []follow.QueuedInput{}
)

// attach answers ws.attach. On a thread that is followed already it replaces
// the delivery: the cursor moves, so nothing older comes after the answer.
func (s *fullSession) attach(f *frames.Frame) error {
	if !s.Identity.May(identity.ScopeRead) {
		return s.fault(f, frames.Faultf(refusal.CodeForbidden, "this identity may not follow threads"))
	}
	if wait := s.srv.Attaches.Take(s.User); wait > 0 {
		return s.fault(f, frames.Laterf(wait+time.Millisecond, refusal.CodeRateLimited, "too many attaches of this user; attach later"))
	}
	d := s.threads[f.ThreadID]
	fresh := d == nil
	if fresh {
		if len(s.threads) >= s.srv.opts.ThreadsPerSocket {
			return s.fault(f, s.tooMany())
		}
		d = s.follow(f.ThreadID)
	}
	d.Follower.Window(f.Window)
	a, err := d.Attach(f.After)
	if err != nil {
		if fresh {
			d.Close()
		}
		return s.fault(f, s.unread(err, "attach again"))
	}
	s.place(d)
	return s.restate(d, a, f.ID)
}

func (s *fullSession) tooMany() *frames.Fault {
	return frames.Faultf(refusal.CodeTooManyThreads, "a socket follows at most %d threads; detach from one", s.srv.opts.ThreadsPerSocket)
}

// detach answers ws.detach, also for a thread that is not followed.
func (s *fullSession) detach(f *frames.Frame) error {
	if d := s.threads[f.ThreadID]; d != nil {
		if err := s.drop(d); err != nil {
			return err
		}
	}
	return s.send(detachedFrame{"ws.detached", f.ID, f.ThreadID, "requested"})
}

// drop ends a delivery.
func (s *fullSession) drop(d *delivery) error {
	d.Close()
	s.srv.Awaiting.Leave(d.Key, s)
	delete(s.threads, d.Key.Thread)
	if s.stream == d.Key.Thread {
		s.stream = ""
	}
	return s.leaveRepeats(d, nil)
}

// cancelRun answers ws.cancel. The sender of an input that was cancelled while it waited
// gets its end.
func (s *fullSession) cancelRun(f *frames.Frame) error {
	if !s.Identity.May(identity.ScopeRun) {
		return s.fault(f, frames.Faultf(refusal.CodeForbidden, "this identity may not cancel runs"))
	}
	ctx, cancel := s.Call()
	defer cancel()
	key := s.Key(f.ThreadID)
	c, err := s.srv.Runs.Cancel(ctx, key, f.Label, s.Actor(store.ThroughSocket))
	if err != nil {
		s.LogFailure("cancelling", f.ThreadID, err)
		return s.fault(f, frames.Laterf(time.Second, refusal.CodeStore, "the outcome is unknown; cancel again"))
	}
	if err := s.send(cancelledFrame{"ws.cancelled", f.ID, f.ThreadID, f.Label, c.Stopped}); err != nil {
		return err
	}
	if len(c.Owed) > 0 {
		s.srv.Awaiting.Pay(key, f.Label, c.Owed)
	}
	return nil
}
