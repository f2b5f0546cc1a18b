package redisstore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter"
)

// turns lets calls wait for each other: so many of them go at once, with so many
// bytes between them. Threads take turns, however many calls wait for each, and have
// a few of the places at once. A call with more bytes than there are goes alone.
type turns struct {
	places int   // for calls
	room   int64 // in bytes
	each   int   // places that one thread has at once

	mu      sync.Mutex
	taken   int
	used    int64
	under   map[string]int // places taken, by thread
	waiting map[string][]*turn
	order   []string // threads that wait, the next one first
}

// turn is a call that waits.
type turn struct {
	bytes int64
	come  chan struct{} // closed when it goes
}

func newTurns(places, each int, room int64) *turns {
	return &turns{places: places, room: room, each: each, under: map[string]int{}, waiting: map[string][]*turn{}}
}

// take waits for a place. Without an error the caller gives it back.
func (t *turns) take(ctx context.Context, thread string, bytes int64) error {
	w := &turn{bytes, make(chan struct{})}
	t.mu.Lock()
	if t.waiting[thread] == nil {
		t.order = append(t.order, thread)
	}
	t.waiting[thread] = append(t.waiting[thread], w)
	t.grant()
	t.mu.Unlock()
	select {
	case <-w.come:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-w.come:
		t.free(thread, bytes)
	default:
		t.drop(thread, w)
	}
	t.grant()
	return fmt.Errorf("%w: others read before: %w", adapter.ErrOutcomeUnknown, ctx.Err())
}

// give returns a place.
func (t *turns) give(thread string, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free(thread, bytes)
	t.grant()
}

func (t *turns) free(thread string, bytes int64) {
	t.taken, t.used = t.taken-1, t.used-bytes
	if t.under[thread]--; t.under[thread] == 0 {
		delete(t.under, thread)
	}
}

// drop takes a call out of its thread's queue, and the thread out of the order when
// it was the last.
func (t *turns) drop(thread string, w *turn) {
	queue := slices.DeleteFunc(t.waiting[thread], func(other *turn) bool { return other == w })
	if len(queue) > 0 {
		t.waiting[thread] = queue
		return
	}
	delete(t.waiting, thread)
	t.order = slices.DeleteFunc(t.order, func(other string) bool { return other == thread })
}

// grant lets go whose turn it is. One that is too large for the room that is left
// holds those behind it up: else smaller ones would come before it for ever.
func (t *turns) grant() {
	for i := 0; i < len(t.order) && t.taken < t.places; {
		thread := t.order[i]
		if t.under[thread] >= t.each {
			i++
			continue
		}
		w := t.waiting[thread][0]
		if t.taken > 0 && t.used+w.bytes > t.room {
			return
		}
		t.taken, t.used = t.taken+1, t.used+w.bytes
		t.under[thread]++
		close(w.come)
		t.drop(thread, w)
		if t.waiting[thread] != nil { // behind the others
			t.order = append(slices.Delete(t.order, i, i+1), thread)
		}
	}
}
