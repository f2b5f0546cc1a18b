package adapter

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// failing is a thread whose claim fails although the store answers: it is left
// alone for longer and longer.
type failing struct {
	tries int
	until time.Time
}

// noteClaim takes down how a claim of the thread went, and says how often it has
// failed in turn. A store that does not answer is no fault of the thread's.
func (r *Runner) noteClaim(key store.ThreadKey, err error) int {
	if errors.Is(err, store.ErrOutcomeUnknown) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		delete(r.failing, key)
		return 0
	}
	f := r.failing[key]
	f.tries++
	wait := retryAfter(f.tries)
	if errors.Is(err, store.ErrCorrupted) {
		wait = min(firstSpoiled<<min(f.tries-1, 10), lastSpoiled)
	}
	f.until = time.Now().Add(wait)
	r.failing[key] = f
	return f.tries
}

// forgetFailing forgets threads that have not failed here for long: others had
// them.
func (r *Runner) forgetFailing() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, f := range r.failing {
		if time.Since(f.until) > 2*lastRetry {
			delete(r.failing, key)
		}
	}
}

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

// The waits between claims of a thread that cannot be read: somebody may put it
// right, and a newer server may read it.
const (
	firstSpoiled = 5 * time.Second
	lastSpoiled  = 5 * time.Minute
)

// mended forgets that the thread could not be read.
func (r *Runner) mended(key store.ThreadKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.failing, key)
	r.corrupted.forget(key)
}
