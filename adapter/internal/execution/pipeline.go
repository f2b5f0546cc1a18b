package execution

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
)

// The bounds of a batch and of what a run may have under way before Emit
// waits.
const (
	maxBatchEvents = 64
	maxBatchBytes  = 256 << 10
	maxUnacked     = 256
	maxUnackedSize = 1 << 20
)

// Deltas that have waited for company go when they are so many, or have so many bytes.
const (
	lingerEvents = 16
	lingerBytes  = 16 << 10
)

// item is something a run adds, whole: events, then entries, then an end.
type item struct {
	events  [][]byte // the slice is copied
	entries []*store.JournalEntry
	notes   bool // the entries are bookkeeping
	patient bool // the events can wait for company
	closing json.RawMessage
	// checkpoint is alone in its item.
	checkpoint *store.RunCheckpoint
	end        *store.End
	// join is alone in its item with what it brings.
	join *store.Join
}

// errGone is answered to an item whose inputs wait no more: nothing of it was stored.
var errGone = errors.New("adapter: an input waits no more")

// gathered is a batch in the making: items that one commit takes.
type gathered struct {
	events     [][]byte
	size       int // bytes of the events
	weight     int // and of what the entries carry
	entries    []*store.JournalEntry
	after      []int // how many of the events come before each entry
	notes      bool
	patient    bool // all items are
	closing    json.RawMessage
	end        *store.End
	checkpoint *store.RunCheckpoint
	join       *store.Join
	acked      []chan<- error // of those that wait; each receives once
}

// committer is what a pipeline needs of a store.
type committer interface {
	// Commit is that of store.Worker.
	Commit(ctx context.Context, b store.Batch) (store.CommitResult, error)
}

// pipeline carries what one claimed run adds to the store, in order, one batch
// in flight. Items that arrive while a batch is in flight make the next one, so that
// batches grow with the load. A batch of patient items alone waits for company, and any other
// item takes it along. Once the load is what it is, an event costs it no memory.
type pipeline struct {
	store   committer
	claim   store.Claim
	company *node.Company // nil: nothing waits
	due     func()        // ripen
	traces  *tracing.Tracer

	mu        sync.Mutex
	space     *sync.Cond
	idle      bool          // run waits for wake
	wake      chan struct{} // has room for one
	waits     bool          // in company
	ripe      bool          // it has waited in company
	pending   []*gathered
	spare     *gathered    // empty
	added     atomic.Int64 // bytes of all events and entries
	journaled atomic.Int64 // bytes of the entries
	unacked   int          // events
	size      int          // their bytes
	expect    int64        // the log's end, pending items excluded
	number    int64        // of the last batch stored
	err       error        // sticky
	done      chan struct{}
	ended     store.CommitResult
	paused    bool // the thread is wished to pause
	joins     bool // an input came to join the run
}

// newPipeline continues a claim whose last batch had the given number and left
// the log at seq. run must be called, and ends with the first end, the first
// verdict against the claim, or ctx.
func newPipeline(store committer, company *node.Company, claim store.Claim, number, seq int64) *pipeline {
	p := &pipeline{
		store: store, company: company, claim: claim,
		number: number, expect: seq, idle: true,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	p.space, p.due = sync.NewCond(&p.mu), p.ripen
	return p
}

// add queues one item and waits for room. If wait is set, it returns after the item was
// stored. An error means that nothing more of this run will be stored by this worker;
// whether this item was is then unknown.
func (p *pipeline) add(ctx context.Context, it item, wait bool) error {
	var acked chan error
	if wait {
		acked = make(chan error, 1)
	}
	it.patient = it.patient && !wait
	size := SizeOf(it.events)
	p.mu.Lock()
	if p.full() {
		p.await(ctx)
	}
	if p.err != nil || ctx.Err() != nil {
		p.mu.Unlock()
		return adapter.ErrStopped
	}
	p.gather(it, size, acked)
	p.unacked += len(it.events)
	p.size += size
	p.added.Add(int64(size))
	p.goOrWait()
	p.mu.Unlock()
	if !wait {
		return nil
	}
	select {
	case err := <-acked:
		return err
	case <-p.done:
		select {
		case err := <-acked:
			return err
		default:
			return adapter.ErrStopped
		}
	}
}

// goOrWait wakes Run if it is idle and something goes. What does not go joins the company.
func (p *pipeline) goOrWait() {
	switch goes := p.goes(); {
	case goes && p.idle:
		p.idle = false
		p.wake <- struct{}{}
	case !goes && !p.waits:
		p.waits = true
		p.company.Join(p.due)
	}
}

// goes reports whether the first of what was gathered, which there is, waits no longer.
func (p *pipeline) goes() bool {
	g := p.pending[0]
	return p.company == nil || p.ripe || !g.patient || len(p.pending) > 1 || len(g.events) >= lingerEvents || g.weight >= lingerBytes
}

// ripen ends the waiting in company.
func (p *pipeline) ripen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waits, p.ripe = false, len(p.pending) > 0
	if p.ripe {
		p.goOrWait()
	}
}

func (p *pipeline) full() bool { return p.unacked > maxUnacked || p.size > maxUnackedSize }

// await waits for room, for the end of all storing, or for ctx. The lock is held on
// entry and on return.
func (p *pipeline) await(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.space.Broadcast()
	})
	defer stop()
	for p.err == nil && ctx.Err() == nil && p.full() {
		p.space.Wait()
	}
}

// gather adds an item to the last batch in the making, or begins one.
func (p *pipeline) gather(it item, size int, acked chan<- error) {
	var g *gathered
	if n := len(p.pending); n > 0 && p.pending[n-1].takes(it) {
		g = p.pending[n-1]
	} else {
		if g, p.spare = p.spare, nil; g == nil {
			g = new(gathered)
		}
		g.notes, g.patient = it.notes, true
		p.pending = append(p.pending, g)
	}
	g.events = append(g.events, it.events...)
	g.size += size
	g.weight += size
	for _, e := range it.entries {
		g.weight += len(e.Result)
		g.entries, g.after = append(g.entries, e), append(g.after, len(g.events))
	}
	if it.closing != nil {
		g.closing = it.closing
	}
	g.end, g.checkpoint, g.join = it.end, it.checkpoint, it.join
	g.patient = g.patient && it.patient
	if acked != nil {
		g.acked = append(g.acked, acked)
	}
}

// takes reports whether an item may go with what has been gathered.
func (g *gathered) takes(it item) bool {
	return g.end == nil && g.checkpoint == nil && g.join == nil && it.checkpoint == nil && it.join == nil && g.notes == it.notes && len(g.events)+len(it.events) <= maxBatchEvents && g.weight <= maxBatchBytes
}

// reset empties g, and lets go of what it held.
func (g *gathered) reset() {
	clear(g.events)
	clear(g.entries)
	clear(g.acked)
	*g = gathered{events: g.events[:0], entries: g.entries[:0], after: g.after[:0], acked: g.acked[:0]}
}

// Run stores batches until the run is over for this worker.
func (p *pipeline) Run(ctx context.Context) {
	defer close(p.done)
	for {
		select {
		case <-ctx.Done():
			p.fail()
			return
		case <-p.wake:
		}
		for {
			g, batch := p.take()
			if g == nil {
				break
			}
			result, ok := p.traced(ctx, g, batch)
			if !ok {
				p.fail()
				return
			}
			p.ack(g, batch, result)
			if batch.End != nil {
				return
			}
		}
	}
}

// traced is commit within a span. A batch of deltas alone has none: a model that takes its time
// would make one for each of its words.
func (p *pipeline) traced(ctx context.Context, g *gathered, batch store.Batch) (store.CommitResult, bool) {
	if p.traces == nil || g.patient {
		return p.commit(ctx, g, batch)
	}
	end := ""
	if batch.End != nil {
		end = string(batch.End.Kind)
	}
	within, span := p.traces.Commit(ctx, len(batch.Events), end)
	result, ok := p.commit(within, g, batch)
	if span.End(!ok); ok && end != "" {
		p.traces.Ended(ctx, end, batch.End.Kind == store.EndFail)
	}
	return result, ok
}

// take makes a batch of what was gathered first.
func (p *pipeline) take() (*gathered, store.Batch) {
	p.mu.Lock()
	defer p.mu.Unlock()
	batch := store.Batch{Claim: p.claim, Number: p.number + 1, Expect: p.expect}
	if len(p.pending) == 0 {
		p.idle = true
		return nil, batch
	}
	if !p.goes() {
		p.idle = true
		p.goOrWait()
		return nil, batch
	}
	p.ripe = false
	g := p.pending[0]
	n := copy(p.pending, p.pending[1:])
	p.pending[n] = nil
	p.pending = p.pending[:n]
	batch.Events, batch.Bookkeeping, batch.Closing, batch.End = g.events, g.notes, g.closing, g.end
	batch.Checkpoint, batch.Join = g.checkpoint, g.join
	for i, r := range g.entries {
		r.Position = p.expect + int64(g.after[i])
		text, err := json.Marshal(r)
		if err != nil { // results were marshalled before, so this is an entry of ours
			panic(err)
		}
		batch.Entries = append(batch.Entries, text)
		p.added.Add(int64(len(text)))
		p.journaled.Add(int64(len(text)))
	}
	return g, batch
}

// commit sends a batch until its outcome is known, however long the store is silent:
// it is fenced if somebody else has the claim by then. A batch that was stored
// although its reply was lost is recognised by its number.
func (p *pipeline) commit(ctx context.Context, g *gathered, batch store.Batch) (store.CommitResult, bool) {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		result, err := p.store.Commit(ctx, batch)
		if err == nil {
			return result, result.Status == store.CommitOK || result.Status == store.CommitGone
		}
		if !errors.Is(err, store.ErrOutcomeUnknown) {
			return result, false // it would fail again
		}
		g.events = slices.Clone(g.events) // what was sent may still be read
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return result, false
		case <-timer.C:
		}
	}
}

func (p *pipeline) ack(g *gathered, batch store.Batch, result store.CommitResult) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var outcome error
	if result.Status == store.CommitGone {
		outcome = errGone
	} else {
		p.number, p.expect = batch.Number, result.End.Seq
		p.paused, p.joins = result.Paused, result.Joins
	}
	p.unacked -= len(g.events)
	p.size -= g.size
	if batch.End != nil {
		p.err = adapter.ErrStopped
		p.ended = result
	}
	p.space.Broadcast()
	for _, acked := range g.acked {
		acked <- outcome
	}
	if cap(g.events) <= 2*maxBatchEvents {
		g.reset()
		p.spare = g
	}
}

// fail makes every call on the run answer ErrStopped.
func (p *pipeline) fail() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.err = adapter.ErrStopped
	p.pending = nil
	p.space.Broadcast()
}

func SizeOf(events [][]byte) int {
	n := 0
	for _, e := range events {
		n += len(e)
	}
	return n
}

// grown is how many bytes the run has added here, and how many of them are entries,
// without those that are still pending.
func (p *pipeline) grown() (all, entries int64) { return p.added.Load(), p.journaled.Load() }

// end is where the log ends when all that was added is stored.
func (p *pipeline) end() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.expect + int64(p.unacked)
}

// pausing reports whether the run is wished to suspend.
func (p *pipeline) pausing() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paused
}

// joining reports whether an input came to join the run.
func (p *pipeline) joining() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.joins
}

// Result is what the end was answered with; zero before it.
func (p *pipeline) Result() store.CommitResult {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}
