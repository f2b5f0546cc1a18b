package runner

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/store"
)

// maxIDBytes bounds the ids that clients choose.
const maxIDBytes = 1024

// maxTries bounds how often a thread is read again because it moved meanwhile.
const maxTries = 50

// node is what the parts of a runner share: the store, the options, and the life of
// what this process does.
type node struct {
	store   store.Store
	options settings
	agents  []string // that this node carries runs of
	log     *slog.Logger
	health  *storeHealth
	schemas responseschema.Set
	folded  *folded.Threads // in use here
	panics  panicLog
	running inflight // runs and claims

	ctx      context.Context // ends when runs must stop
	cancel   context.CancelCauseFunc
	stopping atomic.Bool
	quiet    chan struct{} // closed when it is stopping
	mu       sync.Mutex    // what begins does so before ctx ends, or not at all
}

// background runs fn in a goroutine that Shutdown waits for.
func (n *node) background(fn func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx.Err() != nil {
		return
	}
	n.running.start(fn)
}

func (n *node) draining() bool { return n.stopping.Load() }

// enter counts a call that may begin a run, so that Shutdown waits for it and
// for the run; false when it is too late. The caller ends it.
func (n *node) enter() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.draining() {
		return false
	}
	n.running.begin()
	return true
}

func (n *node) reached(point string) {
	if n.options.Hook != nil {
		n.options.Hook(point)
	}
}

// wait waits for a while; false: the runner has ended.
func (n *node) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-n.ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
