package node

import "sync"

// inflight counts goroutines that an owner waits for. Unlike a sync.WaitGroup it
// may be waited for while others still start work.
type inflight struct {
	mu   sync.Mutex
	n    int
	idle chan struct{} // closed when n falls to 0; nil when nobody waits
}

// Start runs fn in a goroutine that wait waits for.
func (w *inflight) Start(fn func()) {
	w.begin()
	go func() {
		defer w.End()
		fn()
	}()
}

// begin counts what its caller ends.
func (w *inflight) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
}

func (w *inflight) End() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n--
	if w.n == 0 && w.idle != nil {
		close(w.idle)
		w.idle = nil
	}
}

// Done is closed when nothing runs.
func (w *inflight) Done() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.idle == nil {
		w.idle = make(chan struct{})
		if w.n == 0 {
			defer func() { w.idle = nil }()
			close(w.idle)
		}
	}
	return w.idle
}
