package adapter

import (
	"context"
	"errors"
	"github.com/aguiws/aguiws/adapter/store"
	"time"
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
