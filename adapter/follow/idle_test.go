package follow

import (
	"bytes"
	"context"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// logs is a store of which every log has the same events.
type logs struct {
	Store
	end    int64
	ranges int
}

func (l *logs) Read(_ context.Context, _ store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	view := &store.ThreadView{Epoch: "e", Base: 1, Seq: l.end}
	if view.Recovered = q.After != nil; view.Recovered {
		view.Missed = batch(int(min(l.end-q.After.Seq, maxPage)))
	}
	return view, nil
}

func (l *logs) Range(_ context.Context, _ store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error) {
	l.ranges++
	return store.RangeResult{Events: batch(min(int(l.end-first)+1, limit)), End: store.Position{Epoch: epoch, Seq: l.end}}, nil
}

func (l *logs) Tail(_ context.Context, keys []store.ThreadKey) ([]store.Position, error) {
	ends := make([]store.Position, len(keys))
	for i := range ends {
		ends[i] = store.Position{Epoch: "e", Seq: l.end}
	}
	return ends, nil
}

// batch are n events that nobody else holds.
func batch(n int) [][]byte {
	events := make([][]byte, n)
	for i := range events {
		events[i] = bytes.Repeat([]byte("x"), 900)
	}
	return events
}

// kept is how many bytes of events the hub and its followers hold.
func kept(h *Hub, followers ...*Follower) (bytes int) {
	sum := func(events [][]byte) {
		for _, e := range events[:cap(events)] {
			bytes += len(e)
		}
	}
	for _, t := range h.topics {
		sum(t.tail)
	}
	for _, f := range followers {
		sum(f.missed)
	}
	return bytes
}

// attachedAt is a follower of a thread that has read all up to a position.
func attachedAt(t *testing.T, h *Hub, thread string, seq int64) *Follower {
	t.Helper()
	f := h.Follow(store.ThreadKey{Thread: thread}, func() {})
	if _, err := f.Attach(t.Context(), &store.Position{Epoch: "e", Seq: seq}); err != nil {
		t.Fatal(err)
	}
	return f
}

// next reads a page, which must have so many events.
func next(t *testing.T, f *Follower, n int) {
	t.Helper()
	page, err := f.Next(t.Context())
	if err != nil || len(page.Events) != n {
		t.Fatalf("%d events, not %d: %v", len(page.Events), n, err)
	}
}

func (l *logs) log(h *Hub, thread string, n int) {
	h.Deliver(store.Delivery{Thread: store.ThreadKey{Thread: thread}, Epoch: "e", First: l.end + 1, Events: batch(n)})
	l.end += int64(n)
}

func TestFollowersThatIdleKeepNothingOfTheirThread(t *testing.T) {
	const threads, events = 64, 500
	before := heap()
	var followers []*Follower
	st := &logs{}
	h := New(st, nil)
	for i := range threads {
		st.end = 0
		f := attachedAt(t, h, strconv.Itoa(i), 0)
		for range 2 {
			st.log(h, f.key.Thread, events)
			next(t, f, events)
		}
		followers = append(followers, f)
	}
	if n := kept(h, followers...); n != 0 {
		t.Errorf("%d bytes are kept of %d threads of which all was read", n, threads)
	}
	if each := (heap() - before) / threads; each > 16<<10 {
		t.Errorf("%d bytes are kept for each follower that idles", each)
	}
	runtime.KeepAlive(h)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func TestATailIsKeptForWhoIsBehindAndNoLonger(t *testing.T) {
	st := &logs{}
	h := New(st, nil)
	fast, slow := attachedAt(t, h, "a", 0), attachedAt(t, h, "a", 0)
	st.log(h, "a", 10)
	next(t, fast, 10)
	next(t, fast, 0)
	if kept(h) == 0 {
		t.Error("what one follower has read is gone for the other")
	}
	st.log(h, "a", 5)
	next(t, slow, 15)
	if kept(h) == 0 {
		t.Error("what one follower has read is gone for the other, after more has come")
	}
	next(t, fast, 5)
	if n := kept(h); n != 0 {
		t.Errorf("%d bytes are kept for nobody", n)
	}
	st.log(h, "a", 3)
	next(t, fast, 3)
	slow.Close()
	if n := kept(h); n != 0 {
		t.Errorf("%d bytes are kept for a follower that has gone", n)
	}
	if st.ranges != 0 {
		t.Errorf("the log was read %d times for what was at hand", st.ranges)
	}
	late := attachedAt(t, h, "a", 12)
	next(t, late, 6)
	if n := kept(h, late); n != 0 {
		t.Errorf("%d bytes are kept of what was missed and read", n)
	}
	st.log(h, "a", 2)
	next(t, late, 2)
	next(t, fast, 2)
	if n := kept(h); n != 0 {
		t.Errorf("%d bytes are kept", n)
	}
}

func TestATailIsDroppedThoughSomebodyIsBehindWhenNothingNewComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &logs{}
		h := New(st, nil)
		f := attachedAt(t, h, "a", 0)
		st.log(h, "a", 10)
		verify := func() {
			time.Sleep(followEvery)
			if err := h.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if verify(); kept(h) == 0 {
			t.Error("what has just come is gone")
		}
		if verify(); kept(h) != 0 {
			t.Error("it is kept as long as one is behind")
		}
		next(t, f, 10)
		if st.ranges != 1 {
			t.Errorf("the log was read %d times by who was behind", st.ranges)
		}
		st.log(h, "a", 1)
		next(t, f, 1)
		if st.ranges != 1 || kept(h) != 0 {
			t.Errorf("then it was read %d times, and %d bytes are kept", st.ranges, kept(h))
		}
	})
}
