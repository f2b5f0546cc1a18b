package webhook

import (
	"sync"
	"time"
)

// streak is since when a target has taken nothing, as far as this node has tried. Times are
// by the store's clock.
type streak struct {
	mu    sync.Mutex
	last  time.Time // when something was taken; zero: nothing was
	since time.Time // zero: what was tried last was taken
}

func (s *streak) delivered(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.After(s.last) {
		s.last = at
	}
	s.since = time.Time{}
}

// failed notes that something was not taken that failed first at a time, which may have
// been tried by others and before this node began.
func (s *streak) failed(first time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first.Before(s.last) {
		first = s.last
	}
	if s.since.IsZero() || first.Before(s.since) {
		s.since = first
	}
}

func (s *streak) failing() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.since
}
