package ws

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// input answers a RunAgentInput: ws.run, and what follows from it.
func (s *fullSession) input(f *frames.Frame) error {
	d := s.threads[f.ThreadID]
	awaits, refused := s.expect(f, d == nil)
	if refused != nil {
		return s.refuse(f, refused, s.positionOf(f.ThreadID))
	}
	waits := false
	defer func() {
		if awaits && !waits {
			s.srv.Awaiting.Done(s.Key(f.ThreadID), f.Label, s)
		}
	}()
	fresh := d == nil
	if fresh {
		// Before the run can begin, so that none of its events is missed.
		d = s.follow(f.ThreadID)
		d.Follower.Only("")
		defer func() {
			if s.threads[d.Key.Thread] != d {
				d.Close()
				s.srv.Awaiting.Leave(d.Key, s)
			}
		}()
	}
	ctx, cancel := s.Call()
	defer cancel()
	admitted, err := s.submit(ctx, f, d, fresh)
	if err != nil {
		return s.storeFailed(f, err)
	}
	if refused := s.srv.MayRepeat(s.Peer, admitted); refused != nil {
		return s.refuse(f, refused, s.positionOf(f.ThreadID))
	}
	switch admitted.Disposition {
	case admission.Refused:
		at := d.Position
		if fresh {
			at = admitted.Position
		}
		return s.refuse(f, admitted.Refusal, at)
	case admission.Started:
		d.owned(store.RunActive, admitted.Position.Seq+1, f.Label, admitted.RunID)
		if fresh {
			d.Seek(admitted.Position)
			s.place(d)
		}
		return s.disposed(f, admitted)
	case admission.Queued:
		d.owned(store.RunQueued, 0, f.Label, admitted.RunID)
		if fresh {
			if placed, err := s.placeQueued(ctx, f, d); !placed || err != nil {
				return err
			}
		}
		waits, d.awaits = true, true
		return s.disposed(f, admitted)
	default:
		return s.repeat(ctx, f, d, fresh, admitted)
	}
}

// expect refuses an input that this socket may not send now. Awaits: the input counts
// among those that the socket waits for.
func (s *fullSession) expect(f *frames.Frame, fresh bool) (awaits bool, refused *protocol.RunError) {
	if refused = s.mayRun(f); refused != nil {
		return false, refused
	}
	if fresh && len(s.threads) >= s.srv.opts.ThreadsPerSocket {
		return false, s.srv.Metrics.Noted(&protocol.RunError{Code: refusal.CodeTooManyThreads, Message: s.tooMany().Message})
	}
	awaits, room := s.srv.Awaiting.Add(s.Key(f.ThreadID), f.Label, s)
	if !room {
		return awaits, s.srv.Metrics.Noted(peer.RetryLater(adapter.CodeThreadBusy, fmt.Sprintf("%d inputs of this socket wait: wait for them, or cancel some", core.MaxAwaited), time.Second))
	}
	return awaits, nil
}

// submit submits the input. Fresh: the socket did not follow the thread before.
func (s *fullSession) submit(ctx context.Context, f *frames.Frame, d *delivery, fresh bool) (admission.Admitted, error) {
	if fresh && !s.Reads() {
		// It is told nothing of where its run begins but the run.
		if _, err := d.AttachWithin(ctx, nil); err != nil {
			return admission.Admitted{}, err
		}
	}
	in := admission.Input{Namespace: s.Identity.Namespace, Tenant: s.Identity.Tenant, User: s.Name(), Agent: s.Agent, From: s.Origin(store.ThroughSocket), Run: f.Input, When: frames.WhenOf(f.Input), Headers: s.Headers}
	if fresh {
		in.Left = d.Left
	}
	admitted, err := s.srv.Runs.Submit(ctx, in)
	d.Follower.All()
	d.Clears(admitted)
	return admitted, err
}

// placeQueued starts the delivery of a thread whose run waits. Not placed: the input was
// refused.
func (s *fullSession) placeQueued(ctx context.Context, f *frames.Frame, d *delivery) (placed bool, err error) {
	if !s.Reads() {
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
	a, err := d.AttachWithin(ctx, nil)
	if err == nil {
		s.place(d)
	}
	return a, err
}

func (s *fullSession) disposed(f *frames.Frame, a admission.Admitted) error {
	return s.send(runFrame{"ws.run", f.ThreadID, f.Label, a.Disposition, a.Of, f.ID})
}

// storeFailed refuses an input of which nobody knows whether it was accepted:
// sent again, it begins or is recognised.
func (s *fullSession) storeFailed(f *frames.Frame, err error) error {
	s.LogFailure("submitting an input", f.ThreadID, err)
	return s.refuse(f, peer.Unanswered(err), s.positionOf(f.ThreadID))
}

// refuse answers an input that begins no run.
func (s *fullSession) refuse(f *frames.Frame, why *protocol.RunError, at store.Position) error {
	event, err := protocol.Encode(why)
	if err != nil {
		return fmt.Errorf("server: refusal: %w", err)
	}
	if err := s.send(runFrame{"ws.run", f.ThreadID, f.Label, admission.Refused, "", f.ID}); err != nil {
		return err
	}
	return s.uncounted(f.ThreadID, at, [][]byte{event})
}

// MayRun judges what needs no look at the thread.
func (sock *socket) mayRun(f *frames.Frame) *protocol.RunError {
	if f.RetryAfter > 0 {
		return sock.srv.Metrics.Noted(peer.RetryLater(refusal.CodeRateLimited, "too many frames; slow down", f.RetryAfter+time.Millisecond))
	}
	return sock.srv.MayRun(sock.Peer)
}
