package core

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/peer"
)

const (
	// leftJust is how long before its client has left another input may have come behind a
	// run to end it at once: that a connection is closed may be known after what is sent
	// on the next.
	leftJust = 250 * time.Millisecond
	// maxLooks is how many looks may ask the store at once.
	maxLooks = 32
	// leftTries is how often a run is tried to be cancelled when its grace is over and the
	// store does not answer.
	leftTries = 12
)

// leftRuns are the runs whose clients have closed the connection, each for its grace.
// There are at most as many as sockets may be; the others go on to their end.
type leftRuns struct {
	mu    sync.Mutex
	of    map[store.ThreadKey][]*leftRun
	count int
	looks chan struct{}
}

// leftRun is one of them.
type leftRun struct {
	srv       *Core
	log       *slog.Logger
	key       store.ThreadKey
	id, label string // server-made, and as the log calls it
	left      time.Time
	timer     *time.Timer // under leftRuns.mu
	failures  int         // since the grace is over; the look's own
}

// ClientLeft begins the grace of a run whose client has gone.
func (s *Core) ClientLeft(p *peer.Peer, key store.ThreadKey, id, label string) {
	w := &s.Left
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.Closed() {
		return // it is finished, or handed over
	}
	w.drop(key, id) // it was left before, and asked for again
	if w.count >= s.Options.Sockets {
		p.Log.Warn("too many runs are left by their clients: this run goes on", "thread", key.Thread, "run", id)
		return
	}
	r := &leftRun{srv: s, log: p.Log, key: key, id: id, label: label, left: time.Now()}
	w.of[key] = append(w.of[key], r)
	w.count++
	r.timer = time.AfterFunc(0, r.look)
}

// Finish ends all graces. Their runs go on.
func (w *leftRuns) Finish() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, runs := range w.of {
		for _, r := range slices.Clone(runs) {
			w.drop(key, r.id)
		}
	}
}

// Len is how many there are.
func (w *leftRuns) Len() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count
}

// has reports whether a run is left.
func (w *leftRuns) has(key store.ThreadKey, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.ContainsFunc(w.of[key], func(r *leftRun) bool { return r.id == id })
}

// drop forgets a run, under the lock, and returns it; nil: it was not left.
func (w *leftRuns) drop(key store.ThreadKey, id string) *leftRun {
	i := slices.IndexFunc(w.of[key], func(r *leftRun) bool { return r.id == id })
	if i < 0 {
		return nil
	}
	r := w.of[key][i]
	r.timer.Stop()
	if w.of[key] = slices.Delete(w.of[key], i, i+1); len(w.of[key]) == 0 {
		delete(w.of, key)
	}
	w.count--
	return r
}

// leftStopped notes that a run was cancelled because its client has left.
func (s *Core) leftStopped(key store.ThreadKey, id string) {
	s.Left.mu.Lock()
	r := s.Left.drop(key, id)
	s.Left.mu.Unlock()
	s.Metrics.Disconnects.Inc()
	if r != nil {
		r.log.Info("a run was cancelled: its client closed the connection", "thread", key.Thread, "run", id, "after", time.Since(r.left).Round(time.Millisecond).String())
	}
}

// look cancels the run if its grace is over and nobody follows it. At first, if another
// input has come just before.
func (r *leftRun) look() {
	s := r.srv
	if !s.Begin() {
		return
	}
	defer s.Finish()
	select {
	case s.Left.looks <- struct{}{}:
		defer func() { <-s.Left.looks }()
	case <-s.Drain:
		return
	}
	if !s.Left.has(r.key, r.id) {
		return
	}
	elapsed := time.Since(r.left)
	over, behind := elapsed >= s.grace, elapsed+leftJust
	if over {
		behind = 0 // whatever waits
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.Options.CallTimeout)
	c, err := s.Runs.CancelLeft(ctx, r.key, r.id, r.label, behind)
	cancel()
	switch {
	case err == nil && c.Stopped:
		s.leftStopped(r.key, r.id)
		return
	case err != nil:
		r.log.Warn("cancelling a run that its client has left failed", "thread", r.key.Thread, "run", r.id, "error", err)
	}
	s.Left.mu.Lock()
	defer s.Left.mu.Unlock()
	if !slices.Contains(s.Left.of[r.key], r) {
		return
	}
	if over && err != nil {
		r.failures++
	}
	switch {
	case !over:
		r.timer.Reset(s.grace - elapsed)
	case err != nil && r.failures < leftTries:
		r.timer.Reset(min(backoffFirst<<(r.failures-1), backoffMost))
	default:
		s.Left.drop(r.key, r.id)
		r.log.Debug("a run that its client has left goes on, or has ended", "thread", r.key.Thread, "run", r.id)
	}
}
