package runner

import (
	"cmp"
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// nack gives up a claim whose activation failed: it is tried again later, or
// becomes a dead letter, and then nobody continues its execution unless its
// decisions were given back. Other errors leave the claim to its lease.
func (w *worker) nack(claim store.Claim, execution string, attempts int, failed error) error {
	var u *activationError
	if !errors.As(failed, &u) {
		return failed
	}
	terminal, err := protocol.Encode(&protocol.RunError{Message: cmp.Or(u.told, u.text), Code: u.code})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), w.options.StoreTimeout)
	defer stop()
	n := store.Nack{Claim: claim, Error: u.text, Terminal: terminal, GiveBack: u.giveBack}
	call := w.store.Bury
	if u.foreign && w.options.AgentWait > 0 {
		call, n.Free = w.store.Nack, true
	}
	if u.elsewhere {
		if wait, patient := w.backoff.leaveTo(claim); patient {
			call, n.Wait, n.Free = w.store.Nack, wait, true
		}
	}
	result, err := retry.Do(ctx, func() (store.NackResult, error) { return call(ctx, n) })
	if u.code == adapter.CodeStateCorrupted && errors.Is(err, store.ErrCorrupted) {
		_, err = w.active.repair(ctx, claim.Thread, u.text)
		return err
	}
	if err != nil {
		return err
	}
	w.log.Warn("a dispatch could not be delivered", "thread", claim.Thread.Thread, "dispatch", claim.RunID,
		"attempt", attempts, "state", string(result.State), "error", u.text)
	if result.State == store.DispatchDeadLetter && !result.GaveBack {
		w.parking.dismiss(execution)
	}
	if result.Ready && !u.foreign {
		w.capacity.claimLater(claim.Thread)
	}
	return nil
}
