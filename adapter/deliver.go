package adapter

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// The waits between attempts to deliver a dispatch.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// retryAfter is how long a dispatch waits after its n-th attempt failed.
func retryAfter(n int) time.Duration {
	wait := firstRetry
	for ; n > 1 && wait < lastRetry; n-- {
		wait *= 2
	}
	return min(wait, lastRetry)
}

// undeliverable says why an activation cannot succeed, now or ever.
type undeliverable struct {
	code, text string
	// later: it is tried again while there are attempts. elsewhere: another node may
	// succeed, and is waited for before that.
	later, elsewhere bool
	// giveBack: decisions that nothing was done with are given back.
	giveBack bool
}

func (u *undeliverable) Error() string { return u.text }

// deliver settles a claim whose activation failed: it is tried again later, or
// becomes a dead letter, and then nobody continues its execution unless its
// decisions were given back. Other errors leave the claim to its lease.
func (r *Runner) deliver(claim store.Claim, execution string, attempts int, failed error) error {
	var u *undeliverable
	if !errors.As(failed, &u) {
		return failed
	}
	terminal, err := protocol.Encode(&protocol.RunError{Message: u.text, Code: u.code})
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), r.options.StoreTimeout)
	defer stop()
	n := store.Nack{Claim: claim, Error: u.text, Terminal: terminal, GiveBack: u.giveBack}
	settle := r.store.Bury
	if u.later {
		settle = r.store.Nack
		n.Wait = retryAfter(attempts)
	}
	if u.elsewhere {
		if wait, patient := r.leaveTo(claim); patient {
			settle, n.Wait, n.Free = r.store.Nack, wait, true
		}
	}
	result, err := again(ctx, func() (store.NackResult, error) { return settle(ctx, n) })
	if u.code == CodeStateCorrupted && errors.Is(err, store.ErrCorrupted) {
		_, err = r.repair(ctx, claim.Thread, u.text)
		return err
	}
	if err != nil {
		return err
	}
	r.log.Warn("a dispatch could not be delivered", "thread", claim.Thread.Thread, "dispatch", claim.RunID,
		"attempt", attempts, "state", string(result.State), "error", u.text)
	if result.State == store.DispatchDeadLetter && !result.GaveBack {
		r.dismiss(execution)
	}
	if result.Ready {
		r.claimLater(claim.Thread)
	}
	return nil
}

// exhausted is what becomes of a run whose workers were all lost.
func (r *Runner) exhausted(ctx context.Context, claimed store.ClaimResult) error {
	u := &undeliverable{code: CodeWorkerLost, text: fmt.Sprintf("the worker of the run was lost %d times", claimed.Attempts-1)}
	if claimed.Kind == store.ClaimTakeover {
		view, err := r.store.Journal(ctx, claimed.Claim)
		if errors.Is(err, store.ErrClaimLost) {
			return nil
		}
		if err != nil {
			return r.unused(claimed.Claim, err)
		}
		// Decisions that nobody can read on from would come back for ever.
		j, err := readJournal(view.Journal)
		var other *undeliverable
		if errors.As(err, &other) {
			return other // who can read it knows what is to be given back
		}
		u.giveBack = err == nil && !j.final
	}
	return u
}
