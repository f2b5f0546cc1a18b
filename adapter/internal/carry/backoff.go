package carry

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Backoff is the threads that this node leaves alone for now.
type Backoff struct {
	*node.Node

	mu        sync.Mutex
	failing   map[store.ThreadKey]failing
	unknown   map[store.ThreadKey]unknownKindRun
	held      map[store.ThreadKey]int       // see hold
	waiting   map[store.ThreadKey]time.Time // see putOff
	corrupted node.LogOnce[store.ThreadKey] // of which the log has told
}

func NewBackoff(n *node.Node) *Backoff {
	return &Backoff{
		Node: n, failing: map[store.ThreadKey]failing{}, unknown: map[store.ThreadKey]unknownKindRun{}, held: map[store.ThreadKey]int{},
		waiting: map[store.ThreadKey]time.Time{},
	}
}

// failing is a thread whose claim fails although the store answers: it is left
// alone for longer and longer.
type failing struct {
	tries int
	until time.Time
}

// NoteClaim takes down how a claim of the thread went, and says how often it has
// failed in turn. A store that does not answer is no fault of the thread's.
func (b *Backoff) NoteClaim(key store.ThreadKey, err error) int {
	if errors.Is(err, store.ErrOutcomeUnknown) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return 0
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil {
		delete(b.failing, key)
		return 0
	}
	f := b.failing[key]
	f.tries++
	wait := retryAfter(f.tries)
	if errors.Is(err, store.ErrCorrupted) {
		wait = min(firstSpoiled<<min(f.tries-1, 10), lastSpoiled)
	}
	f.until = time.Now().Add(wait)
	b.failing[key] = f
	return f.tries
}

// ForgetFailing forgets threads that have not failed here for long: others had
// them.
func (b *Backoff) ForgetFailing() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for key, f := range b.failing {
		if time.Since(f.until) > 2*lastRetry {
			delete(b.failing, key)
		}
	}
	for key, until := range b.waiting {
		if time.Now().After(until) {
			delete(b.waiting, key)
		}
	}
}

// PutOff leaves a thread alone whose owner has no place for another run. Threads that are
// put off together are not all tried again together.
func (b *Backoff) PutOff(key store.ThreadKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[key] = time.Now().Add(retryQuota + rand.N(2*retryQuota))
}

// The waits between attempts to deliver a dispatch.
const (
	firstRetry = 250 * time.Millisecond
	lastRetry  = 30 * time.Second
)

// retryAfter is how long a dispatch waits after its n-th attempt failed.
func retryAfter(n int) time.Duration {
	wait := firstRetry
	for ; n > 1 && wait < lastRetry; n-- {
		wait *= 2
	}
	return min(wait, lastRetry)
}

// The waits between claims of a thread that cannot be read: somebody may put it
// right, and a newer server may read it.
const (
	firstSpoiled = 5 * time.Second
	lastSpoiled  = 5 * time.Minute
)

// Mended forgets that the thread could not be read.
func (b *Backoff) Mended(key store.ThreadKey) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.failing, key)
	b.corrupted.Forget(key)
}

// hold keeps this node's sweep from claiming the thread until release is called.
func (b *Backoff) hold(key store.ThreadKey) (release func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held[key]++
	held := true
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !held {
			return
		}
		held = false
		if b.held[key]--; b.held[key] == 0 {
			delete(b.held, key)
		}
	}
}

func (b *Backoff) holds(key store.ThreadKey) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held[key] > 0
}

// Unreadable refuses an input to a thread that cannot be read, and tells the log of
// the first.
func (b *Backoff) Unreadable(key store.ThreadKey, err error) *protocol.RunError {
	if b.corrupted.First(key) {
		b.Log.Error("a thread cannot be read: interrupt or delete it", "namespace", key.Namespace, "thread", key.Thread, "error", err)
	}
	return judge.Refuse(adapter.CodeStateCorrupted, node.ToldCorrupted+": ask who runs the server; the thread can be deleted", nil)
}
