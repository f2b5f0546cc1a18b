package adapter

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Pause asks the thread's active run to suspend before its next step (of the
// agent's function itself, not of a branch of Parallel), with an interrupt of
// ReasonPaused. False: no run is active. A run that ends first was not paused,
// and in ModeBlocking none is.
func (c *control) Pause(ctx context.Context, key store.ThreadKey) (bool, error) {
	return retry(ctx, func() (bool, error) { return c.store.Pause(ctx, key) })
}

// Unpause goes on with what Pause stopped: it takes the wish back if the run has
// not come to it, or answers the interrupt, for which it waits while the run is
// suspending. False: nothing was paused, nor wished to be.
func (ib *inbox) Unpause(ctx context.Context, key store.ThreadKey, tenant, label string) (bool, error) {
	for wait := 5 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		request := uuid.NewString()
		if back, err := retry(ctx, func() (bool, error) { return ib.store.Unpause(ctx, key, request) }); err != nil || back {
			return back, err
		}
		thread, err := ib.threads.Thread(ctx, key)
		switch {
		case err != nil || thread == nil:
			return false, err
		case thread.Open != nil:
			return ib.goOn(ctx, thread.Open, tenant, label)
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
func (ib *inbox) goOn(ctx context.Context, open *Suspended, tenant, label string) (bool, error) {
	for _, it := range open.Interrupts {
		var shown protocol.Interrupt
		if err := stored.Decode(it.Interrupt, &shown, "open interrupt %s", it.ID); err != nil {
			return false, err
		}
		if shown.Reason != ReasonPaused {
			continue
		}
		answered, err := ib.Answer(ctx, open.Thread, tenant, "", label, []protocol.ResumeEntry{{InterruptID: it.ID, Status: protocol.ResumeResolved}},
			Origin{Through: ThroughOperator}, nil)
		return err == nil && answered.Admitted.Disposition != Refused, err
	}
	return false, nil
}
