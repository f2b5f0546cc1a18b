package server

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

var (
	emptyInterrupts = []json.RawMessage{}
	emptyQueue      = []follow.QueuedInput{}
)

// attach answers ws.attach. On a thread that is followed already it replaces
// the delivery: the cursor moves, so nothing older comes after the answer.
func (s *fullSession) attach(f *frame) error {
	if !s.identity.May(identity.ScopeRead) {
		return s.fault(f, faultf(codeForbidden, "this identity may not follow threads"))
	}
	if wait := s.srv.attaches.take(s.user); wait > 0 {
		return s.fault(f, laterf(wait+time.Millisecond, codeRateLimited, "too many attaches of this user; attach later"))
	}
	d := s.threads[f.threadID]
	fresh := d == nil
	if fresh {
		if len(s.threads) >= s.srv.opts.ThreadsPerSocket {
			return s.fault(f, s.tooMany())
		}
		d = s.follow(f.threadID)
	}
	d.follower.Window(f.window)
	a, err := d.attach(f.after)
	if err != nil {
		if fresh {
			d.close()
		}
		return s.fault(f, s.unread(err, "attach again"))
	}
	s.place(d)
	return s.restate(d, a, f.id)
}

func (s *fullSession) tooMany() *fault {
	return faultf(codeTooManyThreads, "a socket follows at most %d threads; detach from one", s.srv.opts.ThreadsPerSocket)
}

// detach answers ws.detach, also for a thread that is not followed.
func (s *fullSession) detach(f *frame) error {
	if d := s.threads[f.threadID]; d != nil {
		if err := s.drop(d); err != nil {
			return err
		}
	}
	return s.send(detachedFrame{"ws.detached", f.id, f.threadID, "requested"})
}

// drop ends a delivery.
func (s *fullSession) drop(d *delivery) error {
	d.close()
	s.srv.awaiting.leave(d.key, s)
	delete(s.threads, d.key.Thread)
	if s.stream == d.key.Thread {
		s.stream = ""
	}
	return s.leaveRepeats(d, nil)
}

// cancelRun answers ws.cancel. The sender of an input that was cancelled while it waited
// gets its end.
func (s *fullSession) cancelRun(f *frame) error {
	if !s.identity.May(identity.ScopeRun) {
		return s.fault(f, faultf(codeForbidden, "this identity may not cancel runs"))
	}
	ctx, cancel := s.call()
	defer cancel()
	key := s.key(f.threadID)
	c, err := s.srv.runs.Cancel(ctx, key, f.label, s.actor(store.ThroughSocket))
	if err != nil {
		s.logFailure("cancelling", f.threadID, err)
		return s.fault(f, laterf(time.Second, codeStore, "the outcome is unknown; cancel again"))
	}
	if err := s.send(cancelledFrame{"ws.cancelled", f.id, f.threadID, f.label, c.Stopped}); err != nil {
		return err
	}
	if len(c.Owed) > 0 {
		s.srv.awaiting.pay(key, f.label, c.Owed)
	}
	return nil
}
