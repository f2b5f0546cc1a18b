package client

import (
	"context"
	"math/rand/v2"
)

// request is a frame about a thread that is sent again until it has an answer. The client's
// lock holds it.
type request struct {
	t    *Thread
	ask  func(*request) // sends it, and calls end, refused or again by the answer
	sent bool           // on this socket
	err  error
	done chan struct{}
}

// request sends a frame as soon as the thread is live, and waits for its answer.
func (t *Thread) request(ctx context.Context, ask func(*request)) error {
	q := &request{t: t, ask: ask, done: make(chan struct{})}
	t.c.mu.Lock()
	if t.err != nil {
		t.c.mu.Unlock()
		return t.err
	}
	t.waiting[q] = struct{}{}
	t.flush()
	t.c.mu.Unlock()
	select {
	case <-q.done:
		return q.err
	case <-ctx.Done():
		t.c.mu.Lock()
		defer t.c.mu.Unlock()
		delete(t.waiting, q)
		return context.Cause(ctx)
	}
}

func (q *request) submit() {
	if !q.sent {
		q.sent = true
		q.ask(q)
	}
}

func (q *request) again() {
	q.sent = false
	q.t.flush()
}

// refused ends the request, or puts it off. Those who were refused at once do not come back at once.
func (q *request) refused(f *Frame) {
	why := refusedFrame(f)
	if !why.passes() {
		q.end(why)
		return
	}
	q.t.c.later(max(why.RetryAfter, q.t.c.opts.BackoffMin)+rand.N(q.t.c.opts.BackoffMin), q.again)
}

// end tells who waits.
func (q *request) end(why error) {
	if _, waits := q.t.waiting[q]; waits {
		delete(q.t.waiting, q)
		q.err = why
		close(q.done)
	}
}
