package server

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/notices"
)

// fake is a backend whose threads are slices in memory, and whose decisions
// are the test's.
type fake struct {
	// Nobody asks these.
	notices.Source
	controlapi.Record

	mu      sync.Mutex
	threads map[store.ThreadKey]*fakeThread
	labels  map[string]string // of the runs that inputs were answered with, by id

	submit    func(context.Context, admission.Input) (admission.Admitted, error)
	repeat    func(key store.ThreadKey, runID, label string) (follow.Repeated, error)
	cancel    func(key store.ThreadKey, label string) (admission.Cancelled, error)
	left      func(key store.ThreadKey, runID, label string, behind time.Duration) (admission.Cancelled, error)
	restating func(context.Context)  // before a repeat is answered
	attached  func(*follow.Attached) // amends an answer
	messages  func(key store.ThreadKey, q store.MessageQuery) (*store.MessagePage, error)
	failing   error // of Attach and Next
	failures  int   // of Next
	shutdown  func()
	durable   bool
	open      int   // followers
	page      int   // events a page
	stored    int64 // bytes that an attach reads
	store     fakeStore
}

type fakeThread struct {
	epoch     string
	base      int64 // positions up to it are trimmed
	log       [][]byte
	followers []*fakeFollower
	deleted   bool // who is restated is told so
}

// newFake has small pages, so that tests see several.
func newFake() *fake {
	return &fake{threads: map[store.ThreadKey]*fakeThread{}, labels: map[string]string{}, page: 3}
}

// newQueueing is a backend whose every input waits until it is cancelled, for which
// its sender is owed run r from beginning to end.
func newQueueing() *fake {
	b := newFake()
	b.submit = answering(admission.Admitted{Disposition: admission.Queued, RunID: "s"})
	b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
		return follow.Repeated{Status: store.RunQueued}, nil
	}
	b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
		return admission.Cancelled{Stopped: true, Owed: [][]byte{[]byte(runStarted("t", "r")), []byte(runFinished("t", "r"))}}, nil
	}
	return b
}

func (b *fake) thread(key store.ThreadKey) *fakeThread {
	t := b.threads[key]
	if t == nil {
		t = &fakeThread{epoch: "e1"}
		b.threads[key] = t
	}
	return t
}

func (t *fakeThread) end() store.Position {
	return store.Position{Epoch: t.epoch, Seq: t.base + int64(len(t.log))}
}

var localThread = store.ThreadKey{Namespace: "local", Thread: "t"}

// log appends events to a thread and tells its followers.
func (b *fake) log(key store.ThreadKey, events ...string) {
	b.mu.Lock()
	t := b.thread(key)
	for _, e := range events {
		t.log = append(t.log, []byte(e))
	}
	b.mu.Unlock()
	b.notify(key)
}

func (b *fake) notify(key store.ThreadKey) {
	b.mu.Lock()
	followers := slices.Clone(b.thread(key).followers)
	b.mu.Unlock()
	for _, f := range followers {
		f.notify()
	}
}

// change edits a thread and tells its followers.
func (b *fake) change(key store.ThreadKey, edit func(*fakeThread)) {
	b.mu.Lock()
	edit(b.thread(key))
	b.mu.Unlock()
	b.notify(key)
}

func (b *fake) set(edit func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	edit()
}

func (b *fake) followers() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open
}

// seen is the highest position that a follower has read.
func (b *fake) seen() (seq int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.threads {
		for _, f := range t.followers {
			seq = max(seq, f.pos.Seq)
		}
	}
	return seq
}

func (b *fake) Submit(ctx context.Context, in admission.Input) (admission.Admitted, error) {
	b.mu.Lock()
	submit := b.submit
	b.mu.Unlock()
	if submit == nil {
		return b.start(in), nil
	}
	admitted, err := submit(ctx, in)
	b.set(func() { b.labels[admitted.RunID] = cmp.Or(admitted.Of, in.Run.RunID) })
	return admitted, err
}

// start begins a run as a store does: its RUN_STARTED is logged before anybody
// hears of it.
func (b *fake) start(in admission.Input) admission.Admitted {
	key := store.ThreadKey{Namespace: in.Namespace, Thread: in.Run.ThreadID}
	b.mu.Lock()
	at := b.thread(key).end()
	b.mu.Unlock()
	b.log(key, runStarted(in.Run.ThreadID, in.Run.RunID))
	return admission.Admitted{Disposition: admission.Started, RunID: "server-" + in.Run.RunID, Position: at}
}

func (b *fake) Repeat(ctx context.Context, key store.ThreadKey, runID, label string) (follow.Repeated, error) {
	b.mu.Lock()
	repeat, restating := b.repeat, b.restating
	b.mu.Unlock()
	if restating != nil {
		restating(ctx)
	}
	told, err := repeat(key, runID, label)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && told.At == (store.Position{}) {
		told.At = b.thread(key).end()
	}
	if told.Of == "" {
		told.Of = b.labels[runID]
	}
	return told, err
}

func (b *fake) CancelWaiting(context.Context, store.ThreadKey, admission.Actor) (string, error) {
	return "", nil
}

func (b *fake) Cancel(_ context.Context, key store.ThreadKey, label string, _ admission.Actor) (admission.Cancelled, error) {
	b.mu.Lock()
	cancel := b.cancel
	b.mu.Unlock()
	return cancel(key, label)
}

func (b *fake) CancelLeft(_ context.Context, key store.ThreadKey, runID, label string, behind time.Duration) (admission.Cancelled, error) {
	b.mu.Lock()
	left := b.left
	b.mu.Unlock()
	if left == nil {
		return admission.Cancelled{}, nil
	}
	return left(key, runID, label, behind)
}

func (b *fake) Shutdown(context.Context) error {
	if b.shutdown != nil {
		b.shutdown()
	}
	return nil
}

func (b *fake) Messages(_ context.Context, key store.ThreadKey, q store.MessageQuery) (*store.MessagePage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failing != nil {
		return nil, b.failing
	}
	if b.messages == nil {
		return nil, nil
	}
	return b.messages(key, q)
}

func (b *fake) Durable() bool { return b.durable }

func (b *fake) Capabilities() json.RawMessage {
	return json.RawMessage(`{"transport":{"streaming":true},"tools":{"supported":true}}`)
}

func (b *fake) DefaultAgent() string { return "" }

func (b *fake) Unanswered(agent string) runner.UnansweredPolicy {
	if agent == "helper" {
		return runner.UnansweredCancel
	}
	return runner.UnansweredRefuse
}

func (b *fake) Follow(key store.ThreadKey, notify func()) core.Follower {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.thread(key)
	f := &fakeFollower{b: b, key: key, notify: notify}
	t.followers = append(t.followers, f)
	b.open++
	return f
}

type fakeFollower struct {
	b      *fake
	key    store.ThreadKey
	notify func()
	pos    store.Position
	window int
	closed bool
}

func (f *fakeFollower) Attach(ctx context.Context, after *store.Position) (*follow.Attached, error) {
	if err := store.Room(ctx, f.b.stored); err != nil {
		return nil, err
	}
	f.b.mu.Lock()
	defer f.b.mu.Unlock()
	return f.attach(after)
}

func (f *fakeFollower) attach(after *store.Position) (*follow.Attached, error) {
	if f.b.failing != nil {
		return nil, f.b.failing
	}
	t := f.b.thread(f.key)
	a := &follow.Attached{Position: t.end(), Reason: "no_position"}
	switch {
	case after != nil && after.Epoch != t.epoch:
		a.Reason = "epoch_changed"
	case after != nil && after.Seq < t.base:
		a.Reason = "trimmed"
	case after != nil && after.Seq > t.end().Seq:
		a.Reason = "ahead"
	case after != nil:
		a.Position, a.Recovered, a.Reason = *after, true, ""
	}
	if !a.Recovered && a.Position.Seq > 0 {
		a.Restatement = [][]byte{[]byte(`{"type":"RUN_STARTED","threadId":"t","runId":"r","metadata":{"aguiws":{"restated":true}}}`),
			[]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[]}`)}
	}
	if f.b.attached != nil {
		f.b.attached(a)
	}
	f.pos = a.Position
	return a, nil
}

func (f *fakeFollower) Window(messages int) { f.window = messages }

func (f *fakeFollower) Only(string) {}

func (f *fakeFollower) All() {}

func (f *fakeFollower) Seek(p store.Position) { f.pos = p }

func (f *fakeFollower) Next(context.Context) (follow.Page, error) {
	f.b.mu.Lock()
	defer f.b.mu.Unlock()
	if f.b.failing != nil {
		f.b.failures++
		return follow.Page{}, f.b.failing
	}
	t := f.b.thread(f.key)
	if f.pos.Epoch != t.epoch || f.pos.Seq < t.base {
		at := f.pos
		a, err := f.attach(&at)
		return follow.Page{Restated: a, Deleted: t.deleted, CaughtUp: true}, err
	}
	events := t.log[f.pos.Seq-t.base:]
	events = events[:min(len(events), f.b.page)]
	f.pos.Seq += int64(len(events))
	return follow.Page{Events: events, CaughtUp: f.pos == t.end()}, nil
}

func (f *fakeFollower) Close() {
	f.b.mu.Lock()
	defer f.b.mu.Unlock()
	if f.closed {
		panic("a follower was closed twice")
	}
	f.closed = true
	t := f.b.thread(f.key)
	t.followers = slices.DeleteFunc(t.followers, func(o *fakeFollower) bool { return o == f })
	f.b.open--
}

// Events and frames that tests send around.

func runStarted(thread, run string) string {
	return fmt.Sprintf(`{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, thread, run)
}

func runFinished(thread, run string) string {
	return fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q}`, thread, run)
}

func custom(name string) string { return fmt.Sprintf(`{"type":"CUSTOM","name":%q,"value":1}`, name) }

func input(thread, run string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[]}`, thread, run)
}

func refusedWith(code string) func(context.Context, admission.Input) (admission.Admitted, error) {
	return func(context.Context, admission.Input) (admission.Admitted, error) {
		return admission.Admitted{Disposition: admission.Refused, Refusal: &protocol.RunError{Code: code, Message: "no"}}, nil
	}
}

func answering(a admission.Admitted) func(context.Context, admission.Input) (admission.Admitted, error) {
	return func(context.Context, admission.Input) (admission.Admitted, error) { return a, nil }
}
