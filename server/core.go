package server

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// core is what the sessions of a server stand on, whatever carries them: they know it, and
// it knows none of them.
type core struct {
	*peer.Gate
	runs     backend
	notices  *notices.Feed
	awaiting awaiting
	left     leftRuns
	grace    time.Duration // for which a run goes on whose client has left
}

// newCore returns the core of a server whose runs are a backend's.
func newCore(g *peer.Gate, b backend, grace time.Duration) *core {
	s := &core{Gate: g, runs: meteredBackend{b, g.Metrics}, grace: grace}
	s.left.of, s.left.looks = map[store.ThreadKey][]*leftRun{}, make(chan struct{}, maxLooks)
	s.notices = s.newNotices(b)
	b.OnStore(s.storeChanged)
	s.storeChanged()
	return s
}

// storeChanged makes each session look at whether the store answers.
func (s *core) storeChanged() {
	if s.runs.StoreAvailable() {
		s.Metrics.Available.Set(1)
	} else {
		s.Metrics.Available.Set(0)
	}
	s.PokeAll()
}
