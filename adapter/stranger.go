package adapter

import (
	"time"
)

const (
	// strangerPatience is how long a node leaves the runs of an agent that it does
	// not know to others before that counts as a failed attempt: while a deployment
	// goes on, some nodes know agents that others do not.
	strangerPatience = 10 * time.Minute
	// strangerPause is the longest that such a run waits before it is tried again.
	strangerPause = 5 * time.Second
)

// stranger is a run whose agent this node does not know.
type stranger struct {
	since time.Time
	tries int
}

// leaveTo says how long the run waits for a node that knows its agent; false when
// it has waited long enough.
func (r *Runner) leaveTo(runID string) (wait time.Duration, patient bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for id, s := range r.strangers {
		if now.Sub(s.since) > 2*strangerPatience {
			delete(r.strangers, id) // somebody else had it
		}
	}
	s, met := r.strangers[runID]
	if !met {
		s.since = now
	}
	s.tries++
	r.strangers[runID] = s
	return min(retryAfter(s.tries), strangerPause), now.Sub(s.since) < strangerPatience
}
