// Package node is what the rooms of a runner share: the store, the settings, the log, and the
// life of what the process does.
package node

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
)

// MaxIDBytes bounds the ids that clients choose.
const MaxIDBytes = 1024

// MaxTries bounds how often a thread is read again because it moved meanwhile.
const MaxTries = 50

// Node is what the parts of a runner share: the store, the options, and the life of
// what this process does.
type Node struct {
	Store   store.Store
	Options Settings
	Agents  []string // that this node carries runs of
	Log     *slog.Logger
	Traces  *tracing.Tracer // nil: nothing is traced
	Health  *storeHealth
	Schemas responseschema.Set
	Folded  *folded.Threads // in use here
	Panics  panicLog
	Running inflight // runs and claims
	Company *Company // of the runs

	Ctx      context.Context // ends when runs must stop
	Cancel   context.CancelCauseFunc
	Stopping atomic.Bool
	Quiet    chan struct{} // closed when it is stopping
	Mu       sync.Mutex    // what begins does so before ctx ends, or not at all
}

// Background runs fn in a goroutine that Shutdown waits for.
func (n *Node) Background(fn func()) {
	n.Mu.Lock()
	defer n.Mu.Unlock()
	if n.Ctx.Err() != nil {
		return
	}
	n.Running.Start(fn)
}

func (n *Node) Draining() bool { return n.Stopping.Load() }

// Enter counts a call that may begin a run, so that Shutdown waits for it and
// for the run; false when it is too late. The caller ends it.
func (n *Node) Enter() bool {
	n.Mu.Lock()
	defer n.Mu.Unlock()
	if n.Draining() {
		return false
	}
	n.Running.begin()
	return true
}

func (n *Node) Reached(point string) {
	if n.Options.Hook != nil {
		n.Options.Hook(point)
	}
}

// Wait waits for a while; false: the runner has ended.
func (n *Node) Wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-n.Ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
