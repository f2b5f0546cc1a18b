package gateway

import "context"

const (
	// largeBytes is what each stream may hold of an event that has not come whole yet, and
	// largeAtOnce how many of an upstream may hold more: memory is bounded by their product
	// with the bounds, however many runs there are.
	largeBytes  = 1 << 20
	largeAtOnce = 8
)

// largeRoom lets one stream hold large events: it waits for a place before it holds the
// first, and keeps it until it holds little again.
type largeRoom struct {
	ctx    context.Context // of the stream
	places chan struct{}   // of all streams of the upstream
	held   bool
}

func (r *largeRoom) enter() error {
	if r == nil || r.held {
		return nil
	}
	select {
	case r.places <- struct{}{}:
		r.held = true
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

func (r *largeRoom) leave() {
	if r != nil && r.held {
		r.held = false
		<-r.places
	}
}
