// Package core is what sessions do, whatever carries them: they submit inputs, follow threads
// with cursors, stream runs, watch notices, and await what is queued.
package core

import (
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/peer"
)

// Core is what the sessions of a server stand on, whatever carries them: they know it, and
// it knows none of them.
type Core struct {
	*peer.Gate
	Runs     Backend
	Notices  *notices.Feed
	Awaiting awaiting
	Left     leftRuns
	grace    time.Duration // for which a run goes on whose client has left
}

// New returns the core of a server whose runs are a backend's.
func New(g *peer.Gate, b Backend, grace time.Duration) *Core {
	s := &Core{Gate: g, Runs: meteredBackend{b, g.Metrics}, grace: grace}
	s.Left.of, s.Left.looks = map[store.ThreadKey][]*leftRun{}, make(chan struct{}, maxLooks)
	s.Notices = s.newNotices(b)
	b.OnStore(s.storeChanged)
	s.storeChanged()
	return s
}

// storeChanged makes each session look at whether the store answers.
func (s *Core) storeChanged() {
	if s.Runs.StoreAvailable() {
		s.Metrics.Available.Set(1)
	} else {
		s.Metrics.Available.Set(0)
	}
	s.PokeAll()
}
