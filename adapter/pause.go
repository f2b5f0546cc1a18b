package adapter

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// ReasonPaused is the reason of the interrupt with which a run suspends that an
// operator has paused. Resolving it, with any payload or none, goes on; cancelling it
// ends the execution as cancelled.
const ReasonPaused = "aguiws:paused"

// pauseKey numbers the asks of operators, outside the agent's own.
const pauseKey = "pause"

// Pause asks the thread's active run to suspend before its next step (of the
// agent's function itself, not of a branch of Parallel), with an interrupt of
// ReasonPaused. False: no run is active. A run that ends first was not paused,
// and in ModeBlocking none is.
func (r *Runner) Pause(ctx context.Context, key store.ThreadKey) (bool, error) {
	return retry(ctx, func() (bool, error) { return r.store.Pause(ctx, key) })
}

// Unpause goes on with what Pause stopped: it takes the wish back if the run has
// not come to it, or answers the interrupt, for which it waits while the run is
// suspending. False: nothing was paused, nor wished to be.
func (r *Runner) Unpause(ctx context.Context, key store.ThreadKey, tenant, label string) (bool, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		request := uuid.NewString()
		if back, err := retry(ctx, func() (bool, error) { return r.store.Unpause(ctx, key, request) }); err != nil || back {
			return back, err
		}
		thread, err := r.Thread(ctx, key)
		switch {
		case err != nil || thread == nil:
			return false, err
		case thread.Open != nil:
			return r.goOn(ctx, thread.Open, tenant, label)
		case !thread.Paused:
			return false, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false, ctx.Err()
		case <-timer.C:
		}
	}
}

// goOn answers the interrupt of an operator's, if that is what is open.
func (r *Runner) goOn(ctx context.Context, open *Suspended, tenant, label string) (bool, error) {
	for _, it := range open.Interrupts {
		var shown protocol.Interrupt
		if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
			return false, err
		}
		if shown.Reason != ReasonPaused {
			continue
		}
		answered, err := r.Answer(ctx, open.Thread, tenant, label, []protocol.ResumeEntry{{InterruptID: it.ID, Status: protocol.ResumeResolved}})
		return err == nil && answered.Admitted.Disposition != Refused, err
	}
	return false, nil
}

// pauseHere suspends the run if an operator wishes it and the call is one at which
// a replay finds itself again.
func (x *execution) pauseHere(s *scope) error {
	if x.blocking() || !s.live() || s.branch || x.forks > 0 || s.next() != nil || !x.pipe.pausing() {
		return nil
	}
	// The wish is as old as the last commit, and may have been taken back since.
	// Once it is this worker's it cannot be any more, so its loss is not risked.
	taken, err := retry(x.ctx, func() (bool, error) { return x.runner.store.TakePause(x.ctx, x.claim) })
	if err != nil && x.ctx.Err() != nil {
		return x.seal(ErrStopped)
	}
	if err != nil || !taken {
		return nil // the next step asks again
	}
	return x.suspend(&store.JournalEntry{
		Kind: store.EntryAsk, Scope: systemScope, Key: ordinalKey(pauseKey, x.journal.asks+1),
	}, []protocol.Interrupt{{Reason: ReasonPaused, Message: "The run was paused by an operator. Go on?"}})
}

// isPause reports whether a record is of an operator's pause.
func isPause(r *store.JournalEntry) bool {
	return r.Kind == store.EntryAsk && r.Scope == systemScope && strings.HasPrefix(r.Key, pauseKey+"#")
}

// passPauses goes past the pauses before the step that is called: what was
// emitted up to them is on the wire.
func (s *scope) passPauses() {
	for r := s.next(); r != nil && isPause(r); r = s.next() {
		s.cursor++
	}
}

// stopsAtPause reports whether an answer says that a paused execution ends.
func stopsAtPause(ask, answer *store.JournalEntry) bool {
	return isPause(ask) && len(answer.Entries) == 1 && answer.Entries[0].Status == protocol.ResumeCancelled
}
