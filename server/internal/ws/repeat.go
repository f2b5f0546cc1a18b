package ws

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// maxRepeats is how many repeats of one thread may wait for their socket.
const maxRepeats = 100

// repeat is an input that was accepted before, and is answered as soon as its
// socket has come as far as the answer. If a restatement says what the client has not been
// sent yet, that would come a second time behind it.
type repeat struct {
	frame    *frames.Frame // what of it the answer needs
	admitted admission.Admitted
	told     *follow.Repeated // as of a position that the socket has still to reach; nil: not asked for yet
}

// repeat answers an input that was accepted before: the run that answers it is
// restated under the label asked for, and goes on live.
func (s *fullSession) repeat(ctx context.Context, f *frames.Frame, d *delivery, fresh bool, admitted admission.Admitted) error {
	r := &repeat{frame: &frames.Frame{ID: f.ID, ThreadID: f.ThreadID, Label: f.Label}, admitted: admitted}
	if len(d.repeats) >= maxRepeats {
		return s.refuse(f, s.srv.Metrics.Noted(peer.RetryLater(adapter.CodeThreadBusy, "too many inputs that were sent again wait for this socket", time.Second)), d.Position)
	}
	if fresh {
		told, err := s.askAgain(ctx, d, r)
		if err != nil {
			return s.storeFailed(f, err)
		}
		if told.Whole {
			d.Seek(told.At)
			s.place(d)
			return s.answerAgain(d, r, told)
		}
		a, err := s.placeAtEnd(ctx, d)
		if err != nil {
			return s.storeFailed(f, err)
		}
		if err := s.introduce(d, a); err != nil {
			return err
		}
	}
	d.repeats = append(d.repeats, r)
	d.LookAgain()
	return nil
}

// introduce tells a socket that begins to follow in the middle what is, as if it
// had attached. An unused thread needs no introduction.
func (s *fullSession) introduce(d *delivery, a *follow.Attached) error {
	if len(a.Restatement) == 0 || !s.Reads() {
		return nil
	}
	return s.restate(d, a, "")
}

// askAgain reads the answer to a repeat.
func (s *fullSession) askAgain(ctx context.Context, d *delivery, r *repeat) (follow.Repeated, error) {
	key, of := d.Key, r.admitted.Of
	awaits, _ := s.srv.Awaiting.Add(key, of, s)
	told, err := s.srv.Runs.Repeat(ctx, key, r.admitted.RunID, r.frame.Label)
	if err == nil && told.Status == store.RunQueued {
		d.awaits = true
	} else if awaits {
		s.srv.Awaiting.Done(key, of, s)
	}
	return told, err
}

// answerAgain writes the answer to a repeat, as of where the socket is.
func (s *fullSession) answerAgain(d *delivery, r *repeat, told follow.Repeated) error {
	if told.Of != "" {
		r.admitted.Of = told.Of
	}
	d.owned(told.Status, 0, r.admitted.Of, r.admitted.RunID)
	if err := s.disposed(r.frame, r.admitted); err != nil {
		return err
	}
	return s.uncounted(d.Key.Thread, d.Position, told.Events)
}

// tellRepeats answers the repeats that the socket has come far enough for. The
// first of them is read when the cursor has caught up, and kept while the cursor
// makes the few steps to where it was read.
func (s *fullSession) tellRepeats(d *delivery, caughtUp bool) error {
	for len(d.repeats) > 0 {
		r := d.repeats[0]
		if r.told == nil {
			if !caughtUp {
				return nil
			}
			var err error
			if r.told, err = s.askFrom(d, r); err != nil {
				d.repeats = d.repeats[1:]
				if err := s.storeFailed(r.frame, err); err != nil {
					return err
				}
				continue
			}
			d.LookAgain()
		}
		if len(r.told.Events) > 0 && r.told.At != d.Position {
			return nil
		}
		d.repeats = d.repeats[1:]
		if err := s.answerAgain(d, r, *r.told); err != nil {
			return err
		}
	}
	return nil
}

// askFrom reads the answer to a repeat as of where the socket is, or further on.
func (s *fullSession) askFrom(d *delivery, r *repeat) (*follow.Repeated, error) {
	ctx, cancel := s.Look()
	defer cancel()
	told, err := s.askAgain(ctx, d, r)
	if err == nil && told.At.Epoch == d.Position.Epoch && told.At.Seq < d.Position.Seq {
		err = fmt.Errorf("the store is at %d, and events up to %d were read", told.At.Seq, d.Position.Seq)
	}
	return &told, err
}

// askAnew forgets what was read for repeats: the cursor was moved.
func (d *delivery) askAnew() {
	for _, r := range d.repeats {
		r.told = nil
	}
}

// leaveRepeats ends those that wait on a thread that is not followed any more, or
// cannot be read. Each is answered, by no more than that it was accepted or, after
// err, that nobody knows.
func (s *fullSession) leaveRepeats(d *delivery, err error) error {
	repeats := d.repeats
	d.repeats = nil
	for _, r := range repeats {
		if err != nil {
			if err := s.storeFailed(r.frame, err); err != nil {
				return err
			}
		} else if err := s.disposed(r.frame, r.admitted); err != nil {
			return err
		}
	}
	return nil
}
