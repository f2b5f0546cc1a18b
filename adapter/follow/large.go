package follow

import (
	"context"
	"fmt"
	"sync"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/internal/panics"
	"github.com/aguiws/aguiws/adapter/store"
)

// largeThreads reads large threads for followers that attach to them: one read of a
// thread at a time, and one restatement, for all who asked before the read was begun.
type largeThreads struct {
	store  Store
	folded *folded.Threads

	mu      sync.Mutex
	threads map[largeKey]*largeThread
}

// largeKey is a thread, and how much of it is wanted.
type largeKey struct {
	store.ThreadKey
	window int
}

type largeThread struct {
	next *largeRead // of those who came after the one under way was begun; nil: nobody has
}

// largeRead is one read.
type largeRead struct {
	ctx     context.Context // ends when nobody waits any more
	cancel  context.CancelFunc
	readers int
	done    chan struct{}
	whole   *Attached
	err     error
}

// attach returns where a follower stands that attaches without a position. The answer
// is shared.
func (l *largeThreads) attach(ctx context.Context, thread store.ThreadKey, window int) (*Attached, error) {
	read := l.join(largeKey{thread, window})
	defer l.leave(read)
	select {
	case <-read.done:
		return read.whole, read.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, ctx.Err())
	}
}

// join waits for a read that is yet to begin.
func (l *largeThreads) join(key largeKey) *largeRead {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.threads[key]
	idle := t == nil
	if idle {
		t = &largeThread{}
		l.threads[key] = t
	}
	if t.next == nil || t.next.readers == 0 {
		t.next = &largeRead{done: make(chan struct{})}
		t.next.ctx, t.next.cancel = context.WithCancel(context.Background())
	}
	read := t.next
	read.readers++
	if idle {
		go l.run(key, t)
	}
	return read
}

func (l *largeThreads) leave(read *largeRead) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if read.readers--; read.readers == 0 {
		read.cancel()
	}
}

// run reads the thread until nobody asks for it.
func (l *largeThreads) run(key largeKey, t *largeThread) {
	for {
		l.mu.Lock()
		read := t.next
		t.next = nil
		if read == nil {
			delete(l.threads, key)
		}
		l.mu.Unlock()
		if read == nil {
			return
		}
		read.err = panics.Contain(func() (err error) {
			read.whole, err = l.read(read.ctx, key)
			return err
		})
		close(read.done)
	}
}

// read reads a whole thread from where this node holds it, or its window.
func (l *largeThreads) read(ctx context.Context, key largeKey) (*Attached, error) {
	q := store.ReadQuery{Follower: true, Inputs: true, Window: key.window}
	if key.window > 0 {
		view, err := l.store.Read(ctx, key.ThreadKey, q)
		if err != nil {
			return nil, err
		}
		return attached(view, nil)
	}
	view, told, err := l.folded.Tell(ctx, l.store, key.ThreadKey, q)
	if err != nil {
		return nil, err
	}
	return attached(view, told)
}
