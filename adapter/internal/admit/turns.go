package admit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxTurns is how many inputs of one thread may wait here to be judged.
const maxTurns = 4096

// turns lets the inputs of a thread be judged one after the other on this node. Each reads
// the thread and begins on what it has read: of several at once, all but one would have to
// be judged again.
type turns struct {
	quiet <-chan struct{} // closed: the server is shutting down

	mu      sync.Mutex
	threads map[store.ThreadKey]*turn
}

// turn is a thread's: whoever has sent into it has it.
type turn struct {
	taken chan struct{}
	users int // who has it or waits for it
}

func NewTurns(quiet <-chan struct{}) *turns {
	return &turns{quiet: quiet, threads: map[store.ThreadKey]*turn{}}
}

// Take waits for the thread's turn, in the order of the calls. The caller gives it
// back, and calls nobody meanwhile who takes it.
func (ts *turns) Take(ctx context.Context, key store.ThreadKey) (give func(), refusal *protocol.RunError, err error) {
	ts.mu.Lock()
	t := ts.threads[key]
	if t == nil {
		t = &turn{taken: make(chan struct{}, 1)}
		ts.threads[key] = t
	}
	full := t.users >= maxTurns
	if !full {
		t.users++
	}
	ts.mu.Unlock()
	if full {
		return nil, judge.RefuseForNow(adapter.CodeThreadBusy, fmt.Sprintf("%d inputs to the thread are being judged: try again", maxTurns)), nil
	}
	select {
	case t.taken <- struct{}{}:
		return func() {
			<-t.taken
			ts.leave(key, t)
		}, nil, nil
	case <-ts.quiet:
		ts.leave(key, t)
		return nil, refuseDraining(), nil
	case <-ctx.Done():
		ts.leave(key, t)
		return nil, nil, fmt.Errorf("%w: %w", store.ErrOutcomeUnknown, ctx.Err())
	}
}

func (ts *turns) leave(key store.ThreadKey, t *turn) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(ts.threads, key)
	}
}

// The waits of who was judged on a thread that moved meanwhile. Other nodes judge
// inputs too, and runs begin and end.
const (
	maxLost      = 30 * time.Second // after which who always loses is told so
	waitLost     = time.Millisecond // longer at most with each loss
	mostLostWait = 50 * time.Millisecond
)

// Losses are those of one input.
type Losses struct {
	n      int
	since  time.Time
	tidied bool // the thread was far behind, and checkpointed if it could be
}

// Again waits before the next try; false: there was time enough, or ctx ends. An input that
// loses goes on at once the first few times: the one that has won begins no sooner.
func (l *Losses) Again(ctx context.Context) bool {
	if l.n++; l.n == 1 {
		l.since = time.Now()
	}
	if time.Since(l.since) > maxLost {
		return false
	}
	wait := min(time.Duration(l.n)*waitLost, mostLostWait)
	if l.n <= 4 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(rand.N(wait))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
