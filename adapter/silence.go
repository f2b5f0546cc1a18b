package adapter

import (
	"sync"
	"time"
)

// silence is what the sweep knows of a store that did not answer. Leases ended in
// it that nobody could renew: their holders get a moment to do so before their runs
// are taken over. A run whose worker is lost waits no longer than that moment more.
type silence struct {
	lease time.Duration

	mu     sync.Mutex
	heard  time.Time // the store's latest answer, or when the runner was made
	failed bool      // since then it was asked in vain
	until  time.Time // up to which holders are spared
}

// answered takes the outcome of asking the store what is due.
func (s *silence) answered(asked time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed = true
		return
	}
	now := time.Now()
	late := s.failed || now.Sub(asked) > s.lease/10
	if late && now.Sub(s.heard) >= s.lease/2 {
		s.until = now.Add(renewEvery(s.lease))
	}
	s.heard, s.failed = now, false
}

// spares reports whether a run that has a holder is left to it, though its lease
// is over.
func (s *silence) spares() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.until)
}
