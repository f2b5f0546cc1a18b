package link

import (
	"container/list"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/aguiws/aguiws/adapter/store"
)

// ReadLimit lets reading calls wait for each other: so many of them go at once, with so many
// bytes between them. Threads take turns, however many calls wait for each, and have
// a few of the places at once. A call with more bytes than there are goes alone.
type ReadLimit struct {
	places int   // for calls
	room   int64 // in bytes
	each   int   // places that one thread has at once

	mu      sync.Mutex
	taken   int
	used    int64
	under   map[string]int // places taken, by thread
	waiting map[string]*line
	order   list.List // of the threads that wait, the next one first
}

// line are the calls that wait for one thread.
type line struct {
	calls []*reader
	at    *list.Element // the thread in the order
}

// reader is a call that waits.
type reader struct {
	bytes int64
	come  chan struct{} // closed when it goes
}

func newReadLimit(places, each int, room int64) *ReadLimit {
	return &ReadLimit{places: places, room: room, each: each, under: map[string]int{}, waiting: map[string]*line{}}
}

// Take waits for a place. Without an error the caller gives it back.
func (t *ReadLimit) Take(ctx context.Context, thread string, bytes int64) error {
	w := &reader{bytes, make(chan struct{})}
	t.mu.Lock()
	q := t.waiting[thread]
	if q == nil {
		q = &line{at: t.order.PushBack(thread)}
		t.waiting[thread] = q
	}
	q.calls = append(q.calls, w)
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
	return fmt.Errorf("%w: other readers came first: %w", store.ErrOutcomeUnknown, ctx.Err())
}

// Give returns a place.
func (t *ReadLimit) Give(thread string, bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free(thread, bytes)
	t.grant()
}

func (t *ReadLimit) free(thread string, bytes int64) {
	t.taken, t.used = t.taken-1, t.used-bytes
	if t.under[thread]--; t.under[thread] == 0 {
		delete(t.under, thread)
	}
}

// drop takes a call out of its thread's queue, and the thread out of the order when
// it was the last.
func (t *ReadLimit) drop(thread string, w *reader) {
	q := t.waiting[thread]
	if q.calls[0] == w {
		q.calls = q.calls[1:]
	} else {
		q.calls = slices.DeleteFunc(q.calls, func(other *reader) bool { return other == w })
	}
	if len(q.calls) == 0 {
		delete(t.waiting, thread)
		t.order.Remove(q.at)
	}
}

// grant lets go whose turn it is. A read that is too large for the room that is left holds
// those behind it up: else smaller ones would come before it for ever.
func (t *ReadLimit) grant() {
	for e := t.order.Front(); e != nil && t.taken < t.places; {
		next, thread := e.Next(), e.Value.(string)
		if t.under[thread] >= t.each {
			e = next
			continue
		}
		w := t.waiting[thread].calls[0]
		if t.taken > 0 && t.used+w.bytes > t.room {
			return
		}
		t.taken, t.used = t.taken+1, t.used+w.bytes
		t.under[thread]++
		close(w.come)
		t.drop(thread, w)
		if t.waiting[thread] != nil { // behind the others
			t.order.MoveToBack(e)
			if next == nil {
				next = e
			}
		}
		e = next
	}
}
