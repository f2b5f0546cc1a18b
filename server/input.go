package server

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// input answers a RunAgentInput: ws.run, and what follows from it.
func (s *fullSession) input(f *frame) error {
	d := s.threads[f.threadID]
	awaits, refused := s.expect(f, d == nil)
	if refused != nil {
		return s.refuse(f, refused, s.positionOf(f.threadID))
	}
	waits := false
	defer func() {
		if awaits && !waits {
			s.srv.awaiting.done(s.key(f.threadID), f.label, s)
		}
	}()
	fresh := d == nil
	if fresh {
		// Before the run can begin, so that none of its events is missed.
		d = s.follow(f.threadID)
		d.follower.Only("")
		defer func() {
			if s.threads[d.key.Thread] != d {
				d.close()
				s.srv.awaiting.leave(d.key, s)
			}
		}()
	}
	ctx, cancel := s.call()
	defer cancel()
	admitted, err := s.submit(ctx, f, d, fresh)
	if err != nil {
		return s.storeFailed(f, err)
	}
	if refused := s.mayRepeat(admitted); refused != nil {
		return s.refuse(f, refused, s.positionOf(f.threadID))
	}
	switch admitted.Disposition {
	case admission.Refused:
		at := d.position
		if fresh {
			at = admitted.Position
		}
		return s.refuse(f, admitted.Refusal, at)
	case admission.Started:
		d.owned(store.RunActive, admitted.Position.Seq+1, f.label, admitted.RunID)
		if fresh {
			d.seek(admitted.Position)
			s.place(d)
		}
		return s.disposed(f, admitted)
	case admission.Queued:
		d.owned(store.RunQueued, 0, f.label, admitted.RunID)
		if fresh {
			if placed, err := s.placeQueued(ctx, f, d); !placed || err != nil {
				return err
			}
		}
		waits, d.awaits = true, true
		return s.disposed(f, admitted)
	default:
		if s.reads() {
			s.srv.left.keep(d.key)
		}
		return s.repeat(ctx, f, d, fresh, admitted)
	}
}

// expect refuses an input that this socket may not send now. Awaits: the input counts
// among those that the socket waits for.
func (s *fullSession) expect(f *frame, fresh bool) (awaits bool, refused *protocol.RunError) {
	if refused = s.mayRun(f); refused != nil {
		return false, refused
	}
	if fresh && len(s.threads) >= s.srv.opts.ThreadsPerSocket {
		return false, s.srv.metrics.noted(&protocol.RunError{Code: codeTooManyThreads, Message: s.tooMany().message})
	}
	awaits, room := s.srv.awaiting.add(s.key(f.threadID), f.label, s)
	if !room {
		return awaits, s.srv.metrics.noted(retryLater(adapter.CodeThreadBusy, fmt.Sprintf("%d inputs of this socket wait: wait for them, or cancel some", maxAwaited), time.Second))
	}
	return awaits, nil
}

// submit submits the input. Fresh: the socket did not follow the thread before.
func (s *fullSession) submit(ctx context.Context, f *frame, d *delivery, fresh bool) (admission.Admitted, error) {
	if fresh && !s.reads() {
		// It is told nothing of where its run begins but the run.
		if _, err := d.attachWithin(ctx, nil); err != nil {
			return admission.Admitted{}, err
		}
	}
	in := admission.Input{Namespace: s.identity.Namespace, Tenant: s.identity.Tenant, User: s.name(), Agent: s.agent, From: s.origin(store.ThroughSocket), Run: f.input, When: whenOf(f.input), Headers: s.headers}
	if fresh {
		in.Left = d.left
	}
	admitted, err := s.srv.runs.Submit(ctx, in)
	d.follower.All()
	d.clears(admitted)
	return admitted, err
}

// placeQueued starts the delivery of a thread whose run waits. Not placed: the input was
// refused.
func (s *fullSession) placeQueued(ctx context.Context, f *frame, d *delivery) (placed bool, err error) {
	if !s.reads() {
		s.place(d)
		return true, nil
	}
	a, err := s.placeAtEnd(ctx, d)
	if err != nil {
		return false, s.storeFailed(f, err)
	}
	return true, s.introduce(d, a)
}

// placeAtEnd starts the delivery at the log's end.
func (s *fullSession) placeAtEnd(ctx context.Context, d *delivery) (*follow.Attached, error) {
	a, err := d.attachWithin(ctx, nil)
	if err == nil {
		s.place(d)
	}
	return a, err
}

func (s *fullSession) disposed(f *frame, a admission.Admitted) error {
	return s.send(runFrame{"ws.run", f.threadID, f.label, a.Disposition, a.Of, f.id})
}

// storeFailed refuses an input of which nobody knows whether it was accepted:
// sent again, it begins or is recognised.
func (s *fullSession) storeFailed(f *frame, err error) error {
	s.logFailure("submitting an input", f.threadID, err)
	return s.refuse(f, unanswered(err), s.positionOf(f.threadID))
}

// refuse answers an input that begins no run.
func (s *fullSession) refuse(f *frame, why *protocol.RunError, at store.Position) error {
	event, err := protocol.Encode(why)
	if err != nil {
		return fmt.Errorf("server: refusal: %w", err)
	}
	if err := s.send(runFrame{"ws.run", f.threadID, f.label, admission.Refused, "", f.id}); err != nil {
		return err
	}
	return s.uncounted(f.threadID, at, [][]byte{event})
}

// mayRun judges what needs no look at the thread.
func (sock *socket) mayRun(f *frame) *protocol.RunError {
	if f.retryAfter > 0 {
		return sock.srv.metrics.noted(retryLater(codeRateLimited, "too many frames; slow down", f.retryAfter+time.Millisecond))
	}
	return sock.peer.mayRun()
}
