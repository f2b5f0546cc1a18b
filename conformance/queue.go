package conformance

import (
	"context"
	"sync"
)

// queue hands what a reader gets to the steps of a case. Its methods may be
// called concurrently.
type queue[T any] struct {
	mu      sync.Mutex
	items   []T
	next    int
	closed  bool
	changed chan struct{}
}

func newQueue[T any]() *queue[T] { return &queue[T]{changed: make(chan struct{})} }

func (q *queue[T]) put(item T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.items = append(q.items, item)
		q.change()
	}
}

// close says that nothing will come any more.
func (q *queue[T]) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed {
		q.closed = true
		q.change()
	}
}

func (q *queue[T]) change() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// take waits for the next item; there is none when the queue is closed.
func (q *queue[T]) take(ctx context.Context) (item T, there bool, err error) {
	for {
		q.mu.Lock()
		if q.next < len(q.items) {
			q.next++
			item = q.items[q.next-1]
			q.mu.Unlock()
			return item, true, nil
		}
		closed, changed := q.closed, q.changed
		q.mu.Unlock()
		if closed {
			return item, false, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return item, false, context.Cause(ctx)
		}
	}
}

// drained waits until the queue is closed and returns all that was ever in it.
func (q *queue[T]) drained(ctx context.Context) ([]T, error) {
	for {
		q.mu.Lock()
		items, closed, changed := q.items, q.closed, q.changed
		q.mu.Unlock()
		if closed {
			return items, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// beyond waits until more than n items have come, or no more will.
func (q *queue[T]) beyond(ctx context.Context, n int) error {
	for {
		q.mu.Lock()
		enough, changed := len(q.items) > n || q.closed, q.changed
		q.mu.Unlock()
		if enough {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// sofar returns what has come.
func (q *queue[T]) sofar() []T {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.items[:len(q.items):len(q.items)]
}
