package carry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// callsPause is how long a run waits that is to be given up while what it was to end is out of
// reach.
const callsPause = 5 * time.Second

// Nack gives up a claim whose activation failed: it is tried again later, or
// becomes a dead letter, and then nobody continues its execution unless its
// decisions were given back. Other errors leave the claim to its lease.
func (w *Worker) Nack(claim store.Claim, execution string, attempts int, failed error) error {
	var u *node.ActivationError
	if !errors.As(failed, &u) {
		return failed
	}
	terminal, err := protocol.Encode(&protocol.RunError{Message: cmp.Or(u.Told, u.Text), Code: u.Code})
	if err != nil {
		return err
	}
	n := store.Nack{Claim: claim, Error: u.Text, Terminal: terminal, GiveBack: u.GiveBack}
	call := w.Store.Bury
	if u.Foreign && w.Options.AgentWait > 0 {
		call, n.Free = w.Store.Nack, true
	}
	if u.Elsewhere {
		if wait, patient := w.Backoff.leaveTo(claim); patient {
			call, n.Wait, n.Free = w.Store.Nack, wait, true
		}
	}
	if !n.Free && !n.GiveBack && !w.endsCalls(claim, attempts) {
		call, n.Wait, n.Free = w.Store.Nack, callsPause, true
	}
	ctx, stop := context.WithTimeout(context.Background(), w.Options.StoreTimeout)
	defer stop()
	result, err := retry.Do(ctx, func() (store.NackResult, error) { return call(ctx, n) })
	if u.Code == adapter.CodeStateCorrupted && errors.Is(err, store.ErrCorrupted) {
		_, err = w.Active.Repair(ctx, claim.Thread, u.Text)
		return err
	}
	if err != nil {
		return err
	}
	w.Log.Warn("a dispatch could not be delivered", "thread", claim.Thread.Thread, "dispatch", claim.RunID,
		"attempt", attempts, "state", string(result.State), "code", u.Code, "error", u.Text)
	if result.State == store.DispatchDeadLetter && !result.GaveBack {
		w.Parking.Dismiss(execution)
	}
	if result.Ready && !u.Foreign {
		w.Capacity.ClaimLater(claim.Thread)
	}
	return nil
}

// endsCalls ends what a run was about to end that is given up: nobody else does, unless the run
// is requeued. False: that is to be tried again. Nodes that die of it do not try for ever.
func (w *Worker) endsCalls(claim store.Claim, attempts int) bool {
	ctx, stop := context.WithTimeout(w.Ctx, w.Options.StoreTimeout)
	defer stop()
	d, err := retry.Do(ctx, func() (*store.Dispatch, error) { return w.Store.Dispatch(ctx, claim.Thread, claim.RunID) })
	if err != nil || d == nil {
		return err == nil || errors.Is(err, store.ErrCorrupted)
	}
	record, _ := stored.Record(&store.RunState{Record: d.Record}) // one that cannot be read names nothing
	for _, child := range record.LeftCalls {
		if attempts > 2*d.MaxAttempts {
			err = fmt.Errorf("the worker was lost %d times", attempts-1)
		} else {
			err = w.Calls.End(ctx, claim.Thread, child, record.User)
		}
		switch {
		case errors.Is(err, store.ErrOutcomeUnknown) || ctx.Err() != nil:
			return false
		case err != nil:
			w.Log.Error("a run is given up, and its call could not be ended: cancel what goes on in the called thread",
				"thread", child, "dispatch", claim.RunID, "error", err)
		}
	}
	return true
}
