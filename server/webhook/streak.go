package webhook

import (
	"sync"
	"time"
)

// remindEvery is how often the log says again that a target takes nothing.
const remindEvery = time.Hour

// Failure is what this node has met of a target that takes nothing. Times are by the
// store's clock.
type Failure struct {
	Since time.Time // zero: what was tried last was taken, or nothing was tried
	// Error is why the last try failed, without the URL. Status is what the target
	// answered to it; 0: it did not answer.
	Error  string
	Status int
}

// streak keeps the Failure of one target.
type streak struct {
	mu      sync.Mutex
	last    time.Time // when something was taken; zero: nothing was
	told    time.Time // when the log said last that it takes nothing
	failure Failure
}

// delivered notes that something was taken, and returns since when nothing was; zero:
// something was taken just before.
func (s *streak) delivered(at time.Time) (failing time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at.After(s.last) {
		s.last = at
	}
	failing = s.failure.Since
	s.failure, s.told = Failure{}, time.Time{}
	return failing
}

// failed notes a try that failed now, of something that failed first at a time, which
// others may have tried before this node began. It reports whether the log is to say
// so: the first time, and once an hour.
func (s *streak) failed(first, now time.Time, a answer) (tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if first.Before(s.last) {
		first = s.last
	}
	if s.failure.Since.IsZero() || first.Before(s.failure.Since) {
		s.failure.Since = first
	}
	s.failure.Error, s.failure.Status = a.err, a.status
	if tell = s.told.IsZero() || now.Sub(s.told) >= remindEvery; tell {
		s.told = now
	}
	return tell
}

func (s *streak) failing() Failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}
