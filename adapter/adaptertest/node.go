package adaptertest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
)

var errDead = errors.New("the node is dead")

// node is a node's way to the store until it dies. A dead node stores nothing, and it
// begins no step any more. A step that was under way ends, since nobody can end it: what it
// came to is kept for who is asked about it.
type node struct {
	store.Store
	runner *runner.Runner
	left   int // writes that it lives for; negative: all
	behind bool
	died   chan struct{} // closed when it dies
	still  chan struct{} // closed when it is dead and in no step

	sending sync.WaitGroup // batches

	mu      sync.Mutex
	dead    bool
	fenced  bool
	open    map[stepOf]bool               // the steps that it is in
	given   []store.Work                  // that it was asked to claim
	unheard map[stepOf]store.JournalEntry // what those came to that ended when it was dead
}

// stepOf names a step across threads.
type stepOf struct {
	thread string
	store.StepRef
}

func newNode(st store.Store, deaths *crash) *node {
	n := &node{Store: st, left: -1, died: make(chan struct{}), still: make(chan struct{}),
		open: map[stepOf]bool{}, unheard: map[stepOf]store.JournalEntry{}}
	if deaths != nil {
		n.left, n.behind = deaths.write-1, deaths.behind
	}
	return n
}

func (n *node) hasDied() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dead
}

// die is a death that nobody has planned.
func (n *node) die() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.dead = true
	n.close()
}

// close tells those who wait for the death. The lock is held.
func (n *node) close() {
	close(n.died)
	if len(n.open) == 0 {
		close(n.still)
	}
}

// shutdown ends the runner and all that it carries, at once.
func (n *node) shutdown() error {
	n.mu.Lock()
	n.fenced = n.dead
	n.mu.Unlock()
	at, cancel := context.WithCancel(context.Background())
	cancel()
	defer n.sending.Wait()
	if err := n.runner.Shutdown(at); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// hook kills who is about to begin a step on a node that is dead.
func (n *node) hook(o *runner.Options) {
	theirs := o.Hook
	o.Hook = func(point string) {
		if point == "step_before_effect" && n.hasDied() {
			panic(errDead)
		}
		if theirs != nil {
			theirs(point)
		}
	}
}

// logger writes what a node says while it lives into the log of the test.
func (n *node) logger(t testing.TB) *slog.Logger {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return slog.New(slog.NewTextHandler(&alive{n, over, t.Output()}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

type alive struct {
	node *node
	over chan struct{}
	log  io.Writer
}

func (a *alive) Write(p []byte) (int, error) {
	select {
	case <-a.over:
		return len(p), nil
	default:
	}
	if a.node.hasDied() {
		return len(p), nil
	}
	return a.log.Write(p)
}

// written does one of the writes that the node lives for.
func written[T any](ctx context.Context, n *node, write func(context.Context) (T, error)) (none T, err error) {
	n.mu.Lock()
	dead, dies := n.dead, !n.dead && n.left == 0
	n.left--
	n.dead = dead || dies
	n.mu.Unlock()
	switch {
	case dead:
		return none, errDead
	case !dies:
		return write(ctx)
	}
	if n.behind {
		_, _ = write(context.WithoutCancel(ctx)) // nobody hears of it
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.close()
	return none, errDead
}

// read is refused to the dead.
func read[T any](n *node, call func() (T, error)) (none T, err error) {
	if n.hasDied() {
		return none, errDead
	}
	return call()
}

func (n *node) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	return written(ctx, n, func(ctx context.Context) (store.BeginResult, error) { return n.Store.Begin(ctx, b) })
}

func (n *node) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	return written(ctx, n, func(ctx context.Context) (store.CommitResult, error) { return n.Store.Activate(ctx, a) })
}

func (n *node) Stop(ctx context.Context, s store.Stop) (store.StopResult, error) {
	return written(ctx, n, func(ctx context.Context) (store.StopResult, error) { return n.Store.Stop(ctx, s) })
}

func (n *node) PutNode(ctx context.Context, key store.ThreadKey, c store.NodeChange) (*store.Node, error) {
	return written(ctx, n, func(ctx context.Context) (*store.Node, error) { return n.Store.PutNode(ctx, key, c) })
}

func (n *node) KeepPayload(ctx context.Context, key store.ThreadKey, upload string, p store.NewPayload) (store.PayloadInfo, error) {
	return written(ctx, n, func(ctx context.Context) (store.PayloadInfo, error) { return n.Store.KeepPayload(ctx, key, upload, p) })
}

// Commit answers a dead node as if it lived while it is in a step.
func (n *node) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	var entries []store.JournalEntry
	for _, text := range b.Entries {
		var e store.JournalEntry
		if err := json.Unmarshal(text, &e); err != nil {
			return store.CommitResult{}, err
		}
		entries = append(entries, e)
	}
	result, err := written(ctx, n, func(ctx context.Context) (store.CommitResult, error) { return n.Store.Commit(ctx, b) })
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range entries {
		of := stepOf{b.Claim.Thread.Thread, store.StepRef{Scope: e.Scope, Key: e.Key}}
		switch {
		case e.Kind == store.EntryStart && !e.Idempotent && !n.dead && err == nil:
			n.open[of] = true
		case e.Kind == store.EntryStep && n.dead:
			n.unheard[of] = e
			fallthrough
		case e.Kind == store.EntryStep:
			n.ended(of)
		}
	}
	if b.End != nil {
		for of := range n.open {
			if of.thread == b.Claim.Thread.Thread { // it broke off
				n.ended(of)
			}
		}
	}
	if !n.dead || err == nil {
		return result, err
	}
	if len(n.open) == 0 || n.fenced || b.End != nil || b.Join != nil {
		return store.CommitResult{Status: store.CommitFenced}, nil
	}
	return store.CommitResult{Status: store.CommitOK, End: store.Position{Seq: b.Expect + int64(len(b.Events))}}, nil
}

// Send has Commit do what is sent.
func (n *node) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	n.sending.Go(func() { answered(n.Commit(ctx, b)) })
	return true
}

// ended says that the node is in a step no more. The lock is held.
func (n *node) ended(of stepOf) {
	if !n.open[of] {
		return
	}
	delete(n.open, of)
	if n.dead && len(n.open) == 0 {
		close(n.still)
	}
}

func (n *node) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	return read(n, func() (*store.ThreadView, error) { return n.Store.Read(ctx, key, q) })
}

func (n *node) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	return read(n, func() (store.ClaimResult, error) { return n.Store.Claim(ctx, c) })
}

func (n *node) Renew(ctx context.Context, c store.Claim) (bool, error) {
	return read(n, func() (bool, error) { return n.Store.Renew(ctx, c) })
}

func (n *node) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	work, err := read(n, func() ([]store.Work, error) { return n.Store.Work(ctx, q) })
	n.mu.Lock()
	defer n.mu.Unlock()
	n.given = append(n.given, work...)
	return work, err
}

// Await is refused: a dead node is handed no work.
func (n *node) Await(context.Context, store.WorkQuery) ([]store.Work, error) {
	return nil, store.ErrCannotAwait
}

func (n *node) HandBack(ctx context.Context, c store.Claim) error {
	_, err := read(n, func() (any, error) { return nil, n.Store.HandBack(ctx, c) })
	return err
}

func (n *node) Nack(ctx context.Context, k store.Nack) (store.NackResult, error) {
	return read(n, func() (store.NackResult, error) { return n.Store.Nack(ctx, k) })
}

func (n *node) Bury(ctx context.Context, k store.Nack) (store.NackResult, error) {
	return read(n, func() (store.NackResult, error) { return n.Store.Bury(ctx, k) })
}

func (n *node) Postpone(ctx context.Context, key store.ThreadKey, interrupt string, until time.Time) (bool, error) {
	return read(n, func() (bool, error) { return n.Store.Postpone(ctx, key, interrupt, until) })
}
