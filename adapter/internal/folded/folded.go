// Package folded keeps what a node has folded of threads in use, so that a thread is read
// whole when it is met first, and from where it was left off after that.
//
// The store says each time whether what is kept may be believed. A read names the position
// as of which a thread is held. The store answers what is behind it only in the same log
// epoch, and while its log has all of that. An epoch is never that of two histories, and
// what changes a thread's messages or its state is in its log.
package folded

import (
	"container/list"
	"context"
	"sync"

	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

// Reader is what is needed of a store.
type Reader interface {
	// Read is that of store.Admission.
	Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error)
}

// Thread is what a view of a thread amounts to.
type Thread struct {
	Fold     *fold.Fold // as of the end of the log
	Snapshot *fold.Fold // as of the stored snapshot
}

// Threads are the threads in use. They may be nil: then each is read whole.
type Threads struct {
	budget int64

	mu     sync.Mutex
	held   map[store.ThreadKey]*list.Element
	latest list.List // of *Held, the one used last in front
	bytes  int64
	hits   int64
	misses int64
}

// Held is a thread as it was at a position, before a read says whether it still is.
type Held struct {
	key     store.ThreadKey
	at      store.Position
	version int64 // the thread had at least
	snapat  int64 // the position of its stored snapshot
	Thread
	told   *stored.Told // in place of Thread: what there is to fold when somebody needs that
	weight int64
}

// New returns threads that take so many bytes at most; nil for none.
func New(budget int64) *Threads {
	if budget <= 0 {
		return nil
	}
	return &Threads{budget: budget, held: map[store.ThreadKey]*list.Element{}}
}

// Usage is what Threads hold, and how they fared.
type Usage struct {
	Threads, Bytes int64
	Hits, Misses   int64 // reads of what is behind a thread that is held, and of whole ones
}

// Usage returns it.
func (ts *Threads) Usage() Usage {
	if ts == nil {
		return Usage{}
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return Usage{Threads: int64(len(ts.held)), Bytes: ts.bytes, Hits: ts.hits, Misses: ts.misses}
}

// Has reports whether a thread that is held has a message; never of nil.
func (h *Held) Has(message string) bool { return h != nil && h.Fold.Has(message) }

// Read reads a thread, of which held is what Threads have, and what it amounts to, which
// is the caller's own. Held is used up.
func (ts *Threads) Read(ctx context.Context, st Reader, key store.ThreadKey, held *Held, q store.ReadQuery) (*store.ThreadView, Thread, error) {
	view, err := ts.read(ctx, st, key, held, q)
	if err != nil {
		return nil, Thread{}, err
	}
	t, err := ts.amounts(key, held, view)
	return view, t, err
}

// Tell reads a thread that is told to somebody, and what there is to tell. What was only told
// is folded when an input comes.
func (ts *Threads) Tell(ctx context.Context, st Reader, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, *stored.Told, error) {
	held := ts.latestOf(key)
	q.Head, q.Tail = stored.MessagesHead, stored.MessagesTail
	view, err := ts.read(ctx, st, key, held, q)
	if err != nil {
		return nil, nil, err
	}
	if view.Held && held.told != nil && len(view.Log) == 0 {
		ts.count(true)
		return view, held.told, nil
	}
	told, err := stored.TellSnapshot(view)
	if err != nil {
		return nil, nil, err
	}
	if told != nil {
		ts.count(false)
		ts.keep(view, &Held{key: key, told: told})
		return view, told, nil
	}
	if view.Held {
		if held, err = held.folded(); err != nil {
			return nil, nil, err
		}
	}
	t, err := ts.amounts(key, held, view)
	if err != nil {
		return nil, nil, err
	}
	told, err = stored.TellFold(t.Fold)
	return view, told, err
}

// read reads what is behind a thread that is held, or all of it if that is no good.
func (ts *Threads) read(ctx context.Context, st Reader, key store.ThreadKey, held *Held, q store.ReadQuery) (*store.ThreadView, error) {
	if held != nil {
		q.Have = &held.at
	}
	view, err := st.Read(ctx, key, q)
	if err != nil {
		return nil, err
	}
	if !view.Held {
		ts.drop(held) // before its position is in the log again
	} else if !held.fits(view) {
		ts.drop(held)
		q.Have = nil
		if view, err = st.Read(ctx, key, q); err != nil {
			return nil, err
		}
	}
	return view, nil
}

// amounts folds a view, and keeps what it amounts to.
func (ts *Threads) amounts(key store.ThreadKey, held *Held, view *store.ThreadView) (t Thread, err error) {
	if view.Held {
		t, err = goOn(held, view)
	} else {
		t, err = whole(view)
	}
	if err != nil {
		ts.drop(held)
		return Thread{}, err
	}
	ts.count(view.Held)
	ts.keep(view, &Held{key: key, Thread: t})
	return t, nil
}

// fits reports whether a view can go on from what is held: the thread has not gone back
// to before it, and where its snapshot stands, it was seen or is going to be.
func (h *Held) fits(view *store.ThreadView) bool {
	return h != nil && view.From == h.at.Seq && view.Epoch == h.at.Epoch && view.Version >= h.version &&
		(view.Snapshot.At >= h.at.Seq || view.Snapshot.At == h.snapat)
}

// whole folds a view of a whole thread.
func whole(view *store.ThreadView) (t Thread, err error) {
	if t.Snapshot, err = stored.Fold(view, view.Snapshot.At); err != nil {
		return t, err
	}
	t.Fold = t.Snapshot.Clone()
	return t, stored.Events(view, view.From, -1, func(e protocol.Event) { t.Fold.Apply(e) })
}

// goOn folds what is behind a thread that is held.
func goOn(held *Held, view *store.ThreadView) (Thread, error) {
	t := held.Thread
	if view.Snapshot.At == view.From {
		t.Snapshot = t.Fold.Clone()
	}
	at := view.From
	return t, stored.Events(view, view.From, -1, func(e protocol.Event) {
		t.Fold.Apply(e)
		if at++; at == view.Snapshot.At {
			t.Snapshot = t.Fold.Clone()
		}
	})
}

// Keep keeps a thread as of a position, where it has a version at least. Its stored
// snapshot is as of the other position of the same log.
func (ts *Threads) Keep(key store.ThreadKey, at store.Position, version, snapat int64, t Thread) {
	ts.put(&Held{key: key, at: at, version: version, snapat: snapat, Thread: t})
}

// keep keeps what a view amounts to.
func (ts *Threads) keep(view *store.ThreadView, e *Held) {
	e.at, e.version, e.snapat = store.Position{Epoch: view.Epoch, Seq: view.Seq}, view.Version, view.Snapshot.At
	ts.put(e)
}

func (ts *Threads) put(e *Held) {
	if ts == nil || e.at.Epoch == "" || e.at.Seq == 0 {
		return
	}
	if e.told != nil {
		e.weight = int64(cap(e.told.Messages) + len(e.told.State))
	} else {
		e.weight = int64(max(e.Fold.Weight(), e.Snapshot.Weight())) // nearly all of it they share
		e.Thread = e.Thread.clone()
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if at := ts.held[e.key]; at != nil {
		if old := at.Value.(*Held); old.at.Epoch == e.at.Epoch && old.at.Seq > e.at.Seq {
			return // another has seen more
		}
		ts.remove(at)
	}
	if e.weight > ts.budget {
		return
	}
	ts.held[e.key] = ts.latest.PushFront(e)
	for ts.bytes += e.weight; ts.bytes > ts.budget; {
		ts.remove(ts.latest.Back())
	}
}

// Held returns what is held of a thread, nil for nothing. It is the caller's own.
func (ts *Threads) Held(key store.ThreadKey) *Held {
	h, err := ts.latestOf(key).folded()
	if err != nil { // it was checked, so that there is no reason
		ts.drop(h)
		return nil
	}
	return h
}

// latestOf is Held of which nothing is folded yet that was only told.
func (ts *Threads) latestOf(key store.ThreadKey) *Held {
	if ts == nil {
		return nil
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	at := ts.held[key]
	if at == nil {
		return nil
	}
	ts.latest.MoveToFront(at)
	h := *at.Value.(*Held)
	if h.told == nil {
		h.Thread = h.Thread.clone()
	}
	return &h
}

// folded folds what was only told.
func (h *Held) folded() (*Held, error) {
	if h == nil || h.told == nil {
		return h, nil
	}
	f, err := h.told.Fold()
	if err != nil {
		return h, err
	}
	h.Thread, h.told = Thread{f, f.Clone()}, nil
	return h, nil
}

func (t Thread) clone() Thread { return Thread{t.Fold.Clone(), t.Snapshot.Clone()} }

// drop forgets what was held.
func (ts *Threads) drop(h *Held) {
	if ts == nil || h == nil {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if at := ts.held[h.key]; at != nil && at.Value.(*Held).at == h.at {
		ts.remove(at)
	}
}

func (ts *Threads) remove(at *list.Element) {
	e := ts.latest.Remove(at).(*Held)
	delete(ts.held, e.key)
	ts.bytes -= e.weight
}

func (ts *Threads) count(hit bool) {
	if ts == nil {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if hit {
		ts.hits++
	} else {
		ts.misses++
	}
}
