// Package follow serves a thread's log to those who follow it on one node: a cursor
// for each, the tail that they share, and the thread restated with snapshots for whoever
// has no place in the log.
package follow

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/store"
)

// The bounds of a topic's tail: followers that are further behind read the
// log. A tail that all have read keeps room for restTail events.
const (
	maxTailEvents = 1024
	maxTailBytes  = 1 << 20
	restTail      = 32
)

// followEvery is how often the registration as follower is renewed and the end
// of each followed log compared, which finds deliveries that were lost.
const followEvery = 15 * time.Second

// Store is what following needs of a store.
type Store interface {
	// Read is that of store.Admission.
	Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error)
	// Range and Tail are those of store.Reader.
	Range(ctx context.Context, key store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error)
	Tail(ctx context.Context, keys []store.ThreadKey) ([]store.Position, error)
}

// Hub keeps, for each thread that is followed on this node, the last events in
// the order of their positions, until all of its followers have had them or nothing new
// has come for a while. A follower's cursor finds them there or reads the log. Its methods may be called concurrently.
type Hub struct {
	store Store
	large largeThreads

	mu       sync.Mutex
	topics   map[store.ThreadKey]*topic
	verified time.Time
	silent   []store.ThreadKey // the store did not tell their ends: they are asked for again
	doubts   int               // how often deliveries may have been lost
}

// topic is the tail of one thread's log. Guarded by the hub's lock.
type topic struct {
	epoch     string
	first     int64 // position of tail[0]; last+1 when tail is empty
	last      int64 // the log's end as far as this node knows
	tail      [][]byte
	bytes     int
	followers map[*Follower]struct{}
	taken     int // batches
	behind    int // followers that have not come to the end since the last batch
	seen      int // taken when ends were last compared
}

// New returns the hub of a node, which is to Deliver what the store delivers, to Doubt
// when deliveries may have been lost, and to Verify every now and then. threads is what the
// node holds of threads in use, and may be nil.
func New(st Store, threads *folded.Threads) *Hub {
	return &Hub{
		store: st, topics: map[store.ThreadKey]*topic{}, verified: time.Now(),
		large: largeThreads{store: st, folded: threads, threads: map[largeKey]*largeThread{}},
	}
}

func (h *Hub) join(f *Follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.topics[f.key]
	if t == nil {
		t = &topic{followers: map[*Follower]struct{}{}}
		h.topics[f.key] = t
	}
	t.followers[f] = struct{}{}
	t.behind++
	f.topic, f.taken = t, -1
}

func (h *Hub) leave(f *Follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if f.topic == nil {
		return
	}
	f.topic.caughtUp(f)
	delete(f.topic.followers, f)
	if len(f.topic.followers) == 0 {
		delete(h.topics, f.key)
	}
	f.topic = nil
}

// Watched reports whether anybody on this node watches the thread, or the run of this
// server-made id; "": none.
func (h *Hub) Watched(key store.ThreadKey, run string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.topics[key]; t != nil {
		for f := range t.followers {
			if !f.only || run != "" && f.run == run {
				return true
			}
		}
	}
	return false
}

// Deliver takes a batch in whatever order batches come.
func (h *Hub) Deliver(d store.Delivery) {
	if len(d.Events) == 0 {
		h.observe(d.Thread, store.Position{Epoch: d.Epoch, Seq: d.First - 1})
		return
	}
	h.mu.Lock()
	t := h.topics[d.Thread]
	if t == nil {
		h.mu.Unlock()
		return
	}
	t.take(d)
	wake := t.wake()
	h.mu.Unlock()
	wake()
}

// take adds a batch to the tail. A batch that does not continue the tail
// replaces it: who is behind reads the log.
func (t *topic) take(d store.Delivery) {
	end := d.First + int64(len(d.Events)) - 1
	switch {
	case d.Epoch != t.epoch || d.First > t.last+1:
		t.drop()
		t.epoch, t.first = d.Epoch, d.First
	case end <= t.last:
		return
	default:
		d.Events = d.Events[t.last+1-d.First:]
	}
	t.last = end
	t.taken++
	t.behind = len(t.followers)
	t.tail = append(t.tail, d.Events...)
	for _, e := range d.Events {
		t.bytes += len(e)
	}
	for len(t.tail) > maxTailEvents || t.bytes > maxTailBytes && len(t.tail) > 1 {
		t.bytes -= len(t.tail[0])
		t.tail[0] = nil
		t.tail = t.tail[1:]
		t.first++
	}
}

// caughtUp notes that the follower has nothing to read any more. The tail is not needed
// when all have caught up.
func (t *topic) caughtUp(f *Follower) {
	if f.taken == t.taken {
		return
	}
	f.taken = t.taken
	if t.behind--; t.behind == 0 {
		t.drop()
	}
}

// drop empties the tail: who is behind reads the log.
func (t *topic) drop() {
	clear(t.tail)
	t.tail, t.bytes, t.first = t.tail[:0], 0, t.last+1
	if cap(t.tail) > restTail {
		t.tail = nil
	}
}

// wake returns what tells the followers; it is called without the hub's lock.
func (t *topic) wake() func() {
	notify := make([]func(), 0, len(t.followers))
	for f := range t.followers {
		notify = append(notify, f.notify)
	}
	return func() {
		for _, fn := range notify {
			fn()
		}
	}
}

// observe takes the end of the log as the store says it is.
func (h *Hub) observe(key store.ThreadKey, end store.Position) {
	h.mu.Lock()
	t := h.topics[key]
	if t == nil || t.epoch == end.Epoch && end.Seq <= t.last {
		h.mu.Unlock()
		return
	}
	t.epoch, t.last = end.Epoch, end.Seq
	t.drop()
	wake := t.wake()
	h.mu.Unlock()
	wake()
}

// Doubt makes the next Verify look at all: deliveries may have been lost.
func (h *Hub) Doubt() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.verified = time.Time{}
	h.doubts++
}

// Verify renews this node's registrations and compares ends, when it is time.
func (h *Hub) Verify(ctx context.Context) error {
	h.mu.Lock()
	all := time.Since(h.verified) >= followEvery
	var keys []store.ThreadKey
	if all {
		keys = slices.Collect(maps.Keys(h.topics))
		for _, t := range h.topics {
			if t.taken == t.seen { // whoever is still behind takes its time
				t.drop()
			}
			t.seen = t.taken
		}
	} else {
		keys = slices.DeleteFunc(h.silent, func(key store.ThreadKey) bool { return h.topics[key] == nil })
	}
	h.silent = nil
	doubts := h.doubts
	h.mu.Unlock()
	if len(keys) == 0 {
		return nil
	}
	asked := time.Now()
	ends, err := h.store.Tail(ctx, keys)
	if err != nil && !errors.Is(err, store.ErrPartial) {
		ends = make([]store.Position, len(keys))
	}
	var silent []store.ThreadKey
	for i, key := range keys {
		if ends[i].Epoch == "" {
			silent = append(silent, key)
			continue
		}
		h.observe(key, ends[i])
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.silent = silent
	if all && h.doubts == doubts && len(silent) < len(keys) {
		h.verified = asked
	}
	return err
}
