package node

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
)

const (
	takeoverLease    = 10 * time.Second // by the store's clock, which the lab moves
	takeoverPatience = 2 * time.Minute
)

// loss is how a worker is lost: after so many events of its run. What it
// journaled at that position is stored or is not.
type loss struct {
	after   int // negative: never
	records bool
}

// cutStore is a worker's way to the store, which is cut when it is lost. How
// events fall into batches is a matter of timing, so it may cut one in two. The
// worker is told that it is fenced: it goes away at once, and leaves no trace.
type cutStore struct {
	store.Store
	mu     sync.Mutex
	loss   loss
	passed int
	cut    bool
	lost   chan struct{} // closed when it is cut
	ended  chan struct{} // closed when the run's end passes
}

// Listen leaves what is delivered to the reader.
func (*cutStore) Listen(func(store.Delivery)) {}

func (c *cutStore) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return store.CommitResult{Status: store.CommitFenced}, nil
	}
	c.passed += len(b.Events)
	if c.loss.after < 0 || c.passed < c.loss.after || c.passed == c.loss.after && b.End != nil {
		res, err := c.Store.Commit(ctx, b)
		if b.End != nil && err == nil && res.Status == store.CommitOK {
			close(c.ended)
		}
		return res, err
	}
	c.cut = true
	defer close(c.lost)
	b.Events, b.End = b.Events[:len(b.Events)-(c.passed-c.loss.after)], nil
	end := b.Expect + int64(len(b.Events))
	b.Entries = slices.DeleteFunc(slices.Clone(b.Entries), func(text json.RawMessage) bool {
		var r struct{ Position int64 }
		return json.Unmarshal(text, &r) != nil || r.Position > end || r.Position == end && !c.loss.records
	})
	if _, err := c.Store.Commit(ctx, b); err != nil {
		return store.CommitResult{}, err
	}
	return store.CommitResult{Status: store.CommitFenced}, nil
}

// Send has Commit do what is sent.
func (c *cutStore) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	go func() { answered(c.Commit(ctx, b)) }()
	return true
}

func (c *cutStore) dead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut
}

func (c *cutStore) Renew(ctx context.Context, claim store.Claim) (bool, error) {
	if c.dead() {
		return false, nil
	}
	return c.Store.Renew(ctx, claim)
}

// Work is not under way when the worker is lost: what it was given nobody else would be.
func (c *cutStore) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cut {
		return nil, nil
	}
	return c.Store.Work(ctx, q)
}

func (c *cutStore) HandBack(ctx context.Context, claim store.Claim) error {
	if c.dead() {
		return nil
	}
	return c.Store.HandBack(ctx, claim)
}

func (c *cutStore) Claim(ctx context.Context, r store.ClaimRequest) (store.ClaimResult, error) {
	if c.dead() {
		return store.ClaimResult{}, nil
	}
	return c.Store.Claim(ctx, r)
}

// takeovers is one thread whose workers are lost.
type takeovers struct {
	t      *testing.T
	store  store.Store
	clock  atomic.Int64
	reader *runner.Runner // of all that follow; it carries no run
	all    *following     // has followed from the beginning
	late   []*following   // came when a worker had just been lost
}

var takeoverThread = store.ThreadKey{Namespace: "test", Thread: "thread"}

func newTakeovers(t *testing.T) *takeovers {
	t.Helper()
	l := &takeovers{t: t}
	l.clock.Store(1_700_000_000_000)
	store, err := redisstore.Embedded(&redisstore.Options{Lease: takeoverLease, Clock: func() time.Time { return time.UnixMilli(l.clock.Load()) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	l.store = store
	l.reader = l.runner(store, time.Hour)
	l.all = l.follow(l.reader)
	return l
}

func (l *takeovers) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), takeoverPatience)
	l.t.Cleanup(cancel)
	return ctx
}

func (l *takeovers) runner(store store.Store, sweep time.Duration) *runner.Runner {
	l.t.Helper()
	r, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": busy{}},
		Lease: takeoverLease, Sweep: sweep, MaxAttempts: 100})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { r.Shutdown(l.context()) })
	return r
}

// carry takes an input to its run's end: the first worker is lost as the first
// loss says, the next one as the second, and the last one not at all. It returns
// how many events the last one added.
func (l *takeovers) carry(in *protocol.RunAgentInput, losses ...loss) (passed int) {
	l.t.Helper()
	for i, how := range append(losses, loss{after: -1}) {
		store := &cutStore{Store: l.store, loss: how, lost: make(chan struct{}), ended: make(chan struct{})}
		if i == 0 {
			in.ThreadID = takeoverThread.Thread
			a, err := l.runner(store, time.Hour).Submit(l.context(), admission.Input{Namespace: takeoverThread.Namespace, Run: in})
			if err != nil || a.Disposition != admission.Started {
				l.t.Fatalf("%s %+v %v", a.Disposition, a.Refusal, err)
			}
		} else {
			l.clock.Add(takeoverLease.Milliseconds() + 1)
			l.runner(store, 5*time.Millisecond)
		}
		select {
		case <-store.lost:
			l.late = append(l.late, l.follow(l.reader))
			continue
		case <-store.ended: // perhaps before it could be lost
		case <-l.context().Done():
			l.t.Fatalf("worker %d is neither lost nor ended: passed %d, %+v, cut %t", i, store.passed, how, store.cut)
		}
		passed = store.passed
		break
	}
	l.all.untilEnd()
	return passed
}

// following is a client: what it was restated, and what it was told since.
type following struct {
	l        *takeovers
	restated [][]byte
	events   [][]byte
	cursor   *follow.Follower
	woken    chan struct{}
}

func (l *takeovers) follow(r *runner.Runner) *following {
	l.t.Helper()
	f := &following{l: l, woken: make(chan struct{}, 1)}
	f.cursor = r.Follow(takeoverThread, func() {
		select {
		case f.woken <- struct{}{}:
		default:
		}
	})
	l.t.Cleanup(f.cursor.Close)
	a, err := f.cursor.Attach(l.context(), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	f.restated = a.Restatement
	return f
}

// untilEnd reads to the end of a run, which must be the log's.
func (f *following) untilEnd() {
	f.l.t.Helper()
	ctx := f.l.context()
	for {
		page, err := f.cursor.Next(ctx)
		if err != nil || page.Restated != nil {
			f.l.t.Fatalf("restated %t, %v", page.Restated != nil, err)
		}
		f.events = append(f.events, page.Events...)
		if n := len(page.Events); n > 0 {
			if e := decoded(f.l.t, page.Events[n-1]); page.CaughtUp && (e.Type() == protocol.TypeRunFinished || e.Type() == protocol.TypeRunError) {
				return
			}
			continue
		}
		select {
		case <-f.woken:
		case <-ctx.Done():
			f.l.t.Fatalf("no end after %d events", len(f.events))
		}
	}
}

func decoded(t *testing.T, text []byte) protocol.Event {
	t.Helper()
	e, err := protocol.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
