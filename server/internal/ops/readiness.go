package ops

import (
	"context"
	"sync"
	"time"
)

const (
	// readyFor is how long an answer is good for all who ask.
	readyFor = time.Second
	// readyTimeout is how long one may take.
	readyTimeout = 2 * time.Second
)

// Readiness shares one answer among all who ask, so that asking costs nothing. The
// zero value is ready for use.
type Readiness struct {
	mu     sync.Mutex
	latest *readyAnswer
}

type readyAnswer struct {
	known chan struct{} // closed when err is
	at    time.Time     // when it became so; zero: it has not yet
	err   error
}

// Ask returns what ready said within readyFor, or asks it. One of those who ask
// at once does, and nobody waits longer than readyTimeout.
func (y *Readiness) Ask(ctx context.Context, ready func(context.Context) error) error {
	y.mu.Lock()
	a := y.latest
	mine := a == nil || !a.at.IsZero() && time.Since(a.at) >= readyFor
	if mine {
		a = &readyAnswer{known: make(chan struct{})}
		y.latest = a
	}
	y.mu.Unlock()
	if mine {
		y.find(a, ready)
		return a.err
	}
	patience := time.NewTimer(readyTimeout)
	defer patience.Stop()
	select {
	case <-a.known:
		return a.err
	case <-patience.C:
		return context.DeadlineExceeded
	case <-ctx.Done():
		return ctx.Err()
	}
}

// find is not the asker's alone: it goes on when they are gone.
func (y *Readiness) find(a *readyAnswer, ready func(context.Context) error) {
	ctx, cancel := context.WithTimeout(context.Background(), readyTimeout)
	defer cancel()
	a.err = context.Canceled // of one that panics
	defer func() {
		y.mu.Lock()
		a.at = time.Now()
		y.mu.Unlock()
		close(a.known)
	}()
	a.err = ready(ctx)
}
