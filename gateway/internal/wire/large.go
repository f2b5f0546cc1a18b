package wire

import "context"

const (
	// LargeBytes is what each stream may hold of an event that has not come whole yet, and
	// LargeAtOnce how many of an upstream may hold more: memory is bounded by their product
	// with the bounds, however many runs there are.
	LargeBytes  = 1 << 20
	LargeAtOnce = 8
)

// Room lets one stream hold large events: it waits for a place before it holds the
// first, and keeps it until it holds little again.
type Room struct {
	ctx    context.Context // of the stream
	places chan struct{}   // of all streams of the upstream
	held   bool
}

// NewRoom makes room for one stream, by a place of all streams of the upstream. ctx is the
// stream's.
func NewRoom(ctx context.Context, places chan struct{}) *Room {
	return &Room{ctx: ctx, places: places}
}

func (r *Room) enter() error {
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

func (r *Room) leave() {
	if r != nil && r.held {
		r.held = false
		<-r.places
	}
}
