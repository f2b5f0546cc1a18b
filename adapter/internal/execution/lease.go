package execution

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
)

// ErrLeaseLost ends a run of which the store has said that its claim is lost.
var ErrLeaseLost = fmt.Errorf("%w: the claim was lost", adapter.ErrStopped)

// renewer is what a lease needs of a store.
type renewer interface {
	// Renew is that of store.Worker.
	Renew(ctx context.Context, c store.Claim) (bool, error)
}

// lease is this worker's own idea of its claim, by its own clock. While it is not
// held nothing begins that has an effect outside the store: somebody else may have
// the claim. It ends no run. Only the store can say that a claim is lost, and while
// it says nothing what is known here stays to be stored.
type lease struct {
	store  renewer
	claim  store.Claim
	length time.Duration
	wanted chan struct{} // holds one: somebody waits for a renewal

	mu      sync.Mutex
	until   time.Time
	renewed chan struct{} // closed at the next renewal
}

// newLease is the lease of a claim that was first asked for at the given time.
func newLease(store renewer, claim store.Claim, length time.Duration, asked time.Time) *lease {
	l := &lease{store: store, claim: claim, length: length, wanted: make(chan struct{}, 1), renewed: make(chan struct{})}
	l.until = asked.Add(l.trusted())
	return l
}

// trusted is how long after it was asked for a claim is relied upon: what is left
// of it by the store's clock is the margin of what then begins.
func (l *lease) trusted() time.Duration { return l.length - l.length/5 }

// RenewEvery is how often a lease of the length is renewed.
func RenewEvery(length time.Duration) time.Duration { return max(length*3/10, time.Millisecond) }

// held reports whether the lease is relied upon, and if not what is closed when it
// may be again. The wall clock is asked too: the other one may stand still with the
// machine.
func (l *lease) held() (bool, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := time.Now()
	return at.Before(l.until) && at.Round(0).Before(l.until.Round(0)), l.renewed
}

// await waits until the lease is held, or ctx ends.
func (l *lease) await(ctx context.Context) error {
	for {
		held, renewed := l.held()
		if held {
			return nil
		}
		select {
		case l.wanted <- struct{}{}:
		default:
		}
		select {
		case <-renewed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Renew extends the lease. False: the claim is lost. It takes so little time that a
// holder asks twice before those who take runs over do (see grace).
func (l *lease) Renew(ctx context.Context) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, l.length/5)
	defer cancel()
	asked := time.Now()
	kept, err := l.store.Renew(ctx, l.claim)
	if err != nil || !kept {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = asked.Add(l.trusted())
	close(l.renewed)
	l.renewed = make(chan struct{})
	return true, nil
}

// Keep renews the lease until ctx ends, and ends the run when the claim is lost.
func (l *lease) Keep(ctx context.Context, cancel context.CancelCauseFunc) {
	timer := time.NewTimer(RenewEvery(l.length))
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.wanted:
		case <-timer.C:
		}
		wait := RenewEvery(l.length)
		switch kept, err := l.Renew(ctx); {
		case err != nil:
			wait = max(l.length/20, time.Millisecond)
		case !kept:
			cancel(ErrLeaseLost)
			return
		}
		timer.Reset(wait)
	}
}
