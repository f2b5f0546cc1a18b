package adapter

import "time"

// strangerPause is the longest that the run of an unknown agent waits before it is
// tried again.
const strangerPause = 5 * time.Second

// stranger is a run whose agent this node does not know.
type stranger struct {
	since time.Time
	tries int
}

// leaveTo says how long the run waits for a node that knows its agent; false when
// it has waited long enough.
func (r *Runner) leaveTo(runID string) (wait time.Duration, patient bool) {
	if r.options.AgentWait < 0 {
		return 0, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for id, s := range r.strangers {
		if now.Sub(s.since) > 2*r.options.AgentWait {
			delete(r.strangers, id) // somebody else had it
		}
	}
	s, met := r.strangers[runID]
	if !met {
		s.since = now
	}
	s.tries++
	r.strangers[runID] = s
	return min(retryAfter(s.tries), strangerPause), now.Sub(s.since) < r.options.AgentWait
}
