package carry

import (
	"cmp"
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

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
	ctx, stop := context.WithTimeout(context.Background(), w.Options.StoreTimeout)
	defer stop()
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
	result, err := retry.Do(ctx, func() (store.NackResult, error) { return call(ctx, n) })
	if u.Code == adapter.CodeStateCorrupted && errors.Is(err, store.ErrCorrupted) {
		_, err = w.Active.Repair(ctx, claim.Thread, u.Text)
		return err
	}
	if err != nil {
		return err
	}
	w.Log.Warn("a dispatch could not be delivered", "thread", claim.Thread.Thread, "dispatch", claim.RunID,
		"attempt", attempts, "state", string(result.State), "error", u.Text)
	if result.State == store.DispatchDeadLetter && !result.GaveBack {
		w.Parking.Dismiss(execution)
	}
	if result.Ready && !u.Foreign {
		w.Capacity.ClaimLater(claim.Thread)
	}
	return nil
}
