package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
)

// The bounds of a batch and of what a run may have under way before Emit
// waits.
const (
	maxBatchEvents = 64
	maxBatchBytes  = 256 << 10
	maxUnacked     = 256
	maxUnackedSize = 1 << 20
)

// item is something a run adds, whole: events, then entries, then an end.
type item struct {
	events  [][]byte
	entries []*store.JournalEntry
	notes   bool // the entries are bookkeeping
	closing json.RawMessage
	end     *store.End
	acked   chan error // nil when nobody waits; receives once
}

// committer is what a pipeline needs of a store.
type committer interface {
	// Commit is that of store.Worker.
	Commit(ctx context.Context, b store.Batch) (store.CommitResult, error)
}

// pipeline carries what one claimed run adds to the store, in order, one batch
// in flight. What arrives while a batch is in flight makes the next one, so
// that batches grow with the load and nothing lingers.
type pipeline struct {
	store committer
	claim store.Claim

	mu      sync.Mutex
	space   *sync.Cond
	wake    chan struct{}
	pending []item
	added   int64 // bytes of all events and entries
	unacked int   // events
	size    int   // their bytes
	expect  int64 // the log's end, pending items excluded
	number  int64 // of the last batch stored
	err     error // sticky
	done    chan struct{}
	ended   store.CommitResult
	paused  bool // the thread is wished to pause
}

// newPipeline continues a claim whose last batch had the given number and left
// the log at seq. run must be called, and ends with the first end, the first
// verdict against the claim, or ctx.
func newPipeline(store committer, claim store.Claim, number, seq int64) *pipeline {
	p := &pipeline{
		store: store, claim: claim,
		number: number, expect: seq,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	p.space = sync.NewCond(&p.mu)
	return p
}

// add queues one item and waits for room. With wait it returns after the item
// was stored. An error means that nothing more of this run will be stored by
// this worker; whether this item was is then unknown.
func (p *pipeline) add(ctx context.Context, it item, wait bool) error {
	if wait {
		it.acked = make(chan error, 1)
	}
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.space.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	for p.err == nil && ctx.Err() == nil && (p.unacked > maxUnacked || p.size > maxUnackedSize) {
		p.space.Wait()
	}
	if p.err != nil || ctx.Err() != nil {
		p.mu.Unlock()
		return ErrStopped
	}
	p.pending = append(p.pending, it)
	p.unacked += len(it.events)
	p.size += sizeOf(it.events)
	p.added += int64(sizeOf(it.events))
	p.mu.Unlock()
	select {
	case p.wake <- struct{}{}:
	default:
	}
	if !wait {
		return nil
	}
	select {
	case err := <-it.acked:
		return err
	case <-p.done:
		select {
		case err := <-it.acked:
			return err
		default:
			return ErrStopped
		}
	}
}

// run stores batches until the run is over for this worker.
func (p *pipeline) run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			p.fail()
			return
		case <-p.wake:
		}
		for {
			items, batch := p.take()
			if items == nil {
				break
			}
			result, ok := p.commit(ctx, batch)
			if !ok {
				p.fail()
				return
			}
			p.ack(items, batch, result)
			if batch.End != nil {
				return
			}
		}
	}
}

// take makes the next batch of what is pending.
func (p *pipeline) take() ([]item, store.Batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	batch := store.Batch{Claim: p.claim, Number: p.number + 1, Expect: p.expect}
	n, size := 0, 0
	for _, it := range p.pending {
		if n > 0 && (len(batch.Events)+len(it.events) > maxBatchEvents || size > maxBatchBytes || it.notes != batch.Bookkeeping) {
			break
		}
		n++
		batch.Bookkeeping = it.notes
		size += sizeOf(it.events)
		batch.Events = append(batch.Events, it.events...)
		for _, r := range it.entries {
			r.Position = p.expect + int64(len(batch.Events))
			text, err := json.Marshal(r)
			if err != nil { // results were marshalled before, so this is an entry of ours
				panic(err)
			}
			batch.Entries = append(batch.Entries, text)
			size += len(text)
			p.added += int64(len(text))
		}
		if it.closing != nil {
			batch.Closing = it.closing
		}
		if it.end != nil {
			batch.End = it.end
			break
		}
	}
	if n == 0 {
		return nil, batch
	}
	items := p.pending[:n:n]
	p.pending = p.pending[n:]
	return items, batch
}

// commit sends a batch until its outcome is known, however long the store is silent:
// it is fenced if somebody else has the claim by then. A batch that was stored
// although its reply was lost is recognised by its number.
func (p *pipeline) commit(ctx context.Context, batch store.Batch) (store.CommitResult, bool) {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		result, err := p.store.Commit(ctx, batch)
		if err == nil {
			return result, result.Status == store.CommitOK
		}
		if !errors.Is(err, store.ErrOutcomeUnknown) {
			return result, false // it would fail again
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return result, false
		case <-timer.C:
		}
	}
}

func (p *pipeline) ack(items []item, batch store.Batch, result store.CommitResult) {
	p.mu.Lock()
	p.number = batch.Number
	p.expect = result.End.Seq
	p.unacked -= len(batch.Events)
	p.size -= sizeOf(batch.Events)
	p.paused = result.Paused
	if batch.End != nil {
		p.err = ErrStopped
		p.ended = result
	}
	p.space.Broadcast()
	p.mu.Unlock()
	for _, it := range items {
		if it.acked != nil {
			it.acked <- nil
		}
	}
}

// fail makes every call on the run answer ErrStopped.
func (p *pipeline) fail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = ErrStopped
	p.pending = nil
	p.space.Broadcast()
}

func sizeOf(events [][]byte) int {
	n := 0
	for _, e := range events {
		n += len(e)
	}
	return n
}

// grown is how many bytes the run has added here, but for entries that are still
// pending.
func (p *pipeline) grown() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.added
}

// pausing reports whether the run is wished to suspend.
func (p *pipeline) pausing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused
}

// result is what the end was answered with; zero before it.
func (p *pipeline) result() store.CommitResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}
