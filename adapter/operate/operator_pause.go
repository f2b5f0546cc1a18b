package operate

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// PauseState is what became of Pause.
type PauseState string

const (
	PauseNothing PauseState = ""        // no run is active, or nothing was asked of it
	PausePending PauseState = "pending" // it suspends at its next step, if it comes to one
	PausePaused  PauseState = "paused"  // it is paused already
)

// ErrCannotPause is Pause's answer to a run whose agent never comes to a step at which it
// could suspend: it is ModeBlocking, or the agent has said so (Unpausable). Such a run can be
// cancelled, or waited for.
var ErrCannotPause = errors.New("adapter: the run's agent cannot be paused: wait for the run, or cancel it")

// Pause asks the thread's active run to suspend before its next step, or at its next
// Injected (of the agent's function itself, not of a branch of Parallel), with an interrupt
// of ReasonPaused. Whether a run comes to one shows afterwards only: one that ends first was
// not paused, and its RUN_FINISHED says so in metadata.aguiws.notPaused. Errors are also
// ErrCannotPause, and what wraps ErrPauseOptions.
func (ib *inbox) Pause(ctx context.Context, key store.ThreadKey, o PauseOptions) (PauseState, error) {
	if err := o.check(); err != nil {
		return PauseNothing, err
	}
	view, err := retry.Do(ctx, func() (*store.ThreadView, error) { return ib.Store.Read(ctx, key, store.ReadQuery{Window: 1}) })
	if err != nil {
		return PauseNothing, err
	}
	if view.Active != nil {
		record, err := stored.Record(view.Active)
		if err != nil {
			return PauseNothing, err
		}
		if u, ok := ib.Options.Agents[record.Agent].(adapter.Unpausable); ib.Options.Blocking || ok && u.Unpausable() {
			return PauseNothing, ErrCannotPause
		}
	}
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return PauseNothing, err
	}
	if open != nil && pausedOf(open) != "" {
		return PausePaused, nil
	}
	wish, err := o.wish()
	if err != nil {
		return PauseNothing, err
	}
	active, err := retry.Do(ctx, func() (bool, error) { return ib.Store.Pause(ctx, key, wish) })
	if err != nil || !active {
		return PauseNothing, err
	}
	return PausePending, nil
}

// pausedOf is the id of the interrupt of a pause that is open; "": there is none.
func pausedOf(open *store.Suspension) string {
	for _, it := range open.Items {
		if it.By == store.AskedByPause {
			return it.ID
		}
	}
	return ""
}

// Unpause goes on with what Pause stopped: it takes the wish back if the run has
// not come to it, or answers the interrupt, for which it waits while the run is
// suspending. False: nothing was paused, nor wished to be. user, label, from and headers are
// those of Answer.
func (ib *inbox) Unpause(ctx context.Context, key store.ThreadKey, tenant, user, label string, from store.Origin, headers map[string]string) (bool, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		request := uuid.NewString()
		if back, err := retry.Do(ctx, func() (bool, error) { return ib.Store.Unpause(ctx, key, request) }); err != nil || back {
			return back, err
		}
		thread, err := ib.threads.Thread(ctx, key)
		switch {
		case err != nil || thread == nil:
			return false, err
		case thread.Open != nil:
			return ib.goOn(ctx, thread.Open, tenant, user, label, from, headers)
		case thread.Pause == PauseNothing:
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
func (ib *inbox) goOn(ctx context.Context, open *Suspended, tenant, user, label string, from store.Origin, headers map[string]string) (bool, error) {
	for _, it := range open.Interrupts {
		if it.By != store.AskedByPause {
			continue
		}
		answered, err := ib.Answer(ctx, open.Thread, tenant, user, label, []protocol.ResumeEntry{{InterruptID: it.ID, Status: protocol.ResumeResolved}},
			from, headers)
		return err == nil && answered.Admitted.Disposition != admission.Refused, err
	}
	return false, nil
}
