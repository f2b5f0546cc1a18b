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
//
// What has waited in company is sent by who ends the waiting, and what comes behind it by who brings
// the answer: Run is not woken for it. All else is Run's, which gathers what comes until it is awake,
// and so is what the store does not take in this way, or did not store.
type pipeline struct {
	ctx     context.Context
	store   committer
	sender  store.Sender                    // nil: Run commits all
	answer  func(store.CommitResult, error) // answered
	claim   store.Claim
	company *node.Company // nil: nothing waits
	due     func()        // ripen
	traces  *tracing.Tracer

	mu        sync.Mutex
	space     *sync.Cond
	flight    *gathered     // what the batch in flight is of; nil: none is
	batch     store.Batch   // in flight
	failed    *failure      // what sending it was answered with, for Run
	wake      chan struct{} // has room for one
	woken     bool          // Run is to take the next batch, or has to see to the one in flight
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

// failure is the answer to a batch that was sent and not stored, as far as is known.
type failure struct {
	result store.CommitResult
	err    error
}

// newPipeline continues a claim whose last batch had the given number and left
// the log at seq. Run must be called, and ends with the first end, the first
// verdict against the claim, or ctx.
func newPipeline(ctx context.Context, st committer, company *node.Company, claim store.Claim, number, seq int64) *pipeline {
	p := &pipeline{
		ctx: ctx, store: st, company: company, claim: claim,
		number: number, expect: seq,
		wake: make(chan struct{}, 1), done: make(chan struct{}),
	}
	if company != nil {
		p.sender, _ = st.(store.Sender)
	}
	p.space, p.due, p.answer = sync.NewCond(&p.mu), p.ripen, p.answered
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

// goOrWait sends what was gathered first, if it goes and nothing is in flight. What does not go
// joins the company.
func (p *pipeline) goOrWait() {
	switch goes := p.goes(); {
	case goes && (p.flight != nil || p.woken):
	case goes && p.sender != nil && p.pending[0].patient:
		if p.take(); !p.sender.Send(p.ctx, p.batch, p.answer) {
			p.wakeRun()
		}
	case goes:
		p.wakeRun()
	case !goes && !p.waits:
		p.waits = true
		p.company.Join(p.due)
	}
}

func (p *pipeline) wakeRun() {
	p.woken = true
	p.wake <- struct{}{}
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
	p.waits, p.ripe = false, p.err == nil && len(p.pending) > 0
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

// Run stores what is its own to store, until the run is over for this worker.
func (p *pipeline) Run() {
	defer close(p.done)
	for {
		select {
		case <-p.ctx.Done():
			p.fail()
			return
		case <-p.wake:
		}
		p.mu.Lock()
		if p.woken = false; p.flight == nil {
			p.take()
		}
		p.mu.Unlock()
		ends := p.batch.End != nil
		result, ok := p.traced(p.ctx)
		if !ok {
			p.fail()
			return
		}
		p.mu.Lock()
		p.ack(result)
		p.mu.Unlock()
		if ends {
			return
		}
	}
}

// answered takes the answer to a batch that was sent. One that was not stored is Run's.
func (p *pipeline) answered(result store.CommitResult, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.err != nil: // Run has left
	case err == nil && result.Status == store.CommitOK:
		p.ack(result)
	default:
		p.failed = &failure{result, err}
		p.wakeRun()
	}
}

// spans reports whether the batch in flight has a span. A batch of deltas alone has none: a model
// that takes its time would make one for each of its words.
func (p *pipeline) spans() bool { return p.traces != nil && !p.flight.patient }

// traced is commit within a span.
func (p *pipeline) traced(ctx context.Context) (store.CommitResult, bool) {
	p.enter()
	if !p.spans() {
		return p.commit(ctx)
	}
	end, batch := "", &p.batch
	if batch.End != nil {
		end = string(batch.End.Kind)
	}
	within, span := p.traces.Commit(ctx, len(batch.Events), end)
	result, ok := p.commit(within)
	if span.End(!ok); ok && end != "" {
		p.traces.Ended(ctx, end, batch.End.Kind == store.EndFail)
	}
	return result, ok
}

// take makes a batch of what was gathered first, but for its entries.
func (p *pipeline) take() {
	p.ripe = false
	g := p.pending[0]
	n := copy(p.pending, p.pending[1:])
	p.pending[n] = nil
	p.pending = p.pending[:n]
	p.flight, p.batch = g, store.Batch{
		Claim: p.claim, Number: p.number + 1, Expect: p.expect, Events: g.events,
		Bookkeeping: g.notes, Closing: g.closing, End: g.end, Checkpoint: g.checkpoint, Join: g.join,
	}
}

// enter adds the entries to the batch in flight.
func (p *pipeline) enter() {
	for i, r := range p.flight.entries {
		r.Position = p.batch.Expect + int64(p.flight.after[i])
		text, err := json.Marshal(r)
		if err != nil { // results were marshalled before, so this is an entry of ours
			panic(err)
		}
		p.batch.Entries = append(p.batch.Entries, text)
		p.added.Add(int64(len(text)))
		p.journaled.Add(int64(len(text)))
	}
}

// commit sends a batch until its outcome is known, however long the store is silent:
// it is fenced if somebody else has the claim by then. A batch that was stored
// although its reply was lost is recognised by its number.
func (p *pipeline) commit(ctx context.Context) (store.CommitResult, bool) {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		result, err := p.outcome(ctx)
		if err == nil {
			return result, result.Status == store.CommitOK || result.Status == store.CommitGone
		}
		if !errors.Is(err, store.ErrOutcomeUnknown) {
			return result, false // it would fail again
		}
		p.flight.events = slices.Clone(p.flight.events) // what was sent may still be read
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return result, false
		case <-timer.C:
		}
	}
}

// outcome is what sending the batch was answered with, the first time, or what committing it is.
func (p *pipeline) outcome(ctx context.Context) (store.CommitResult, error) {
	if f := p.failed; f != nil {
		p.failed = nil
		return f.result, f.err
	}
	return p.store.Commit(ctx, p.batch)
}

// ack lets go of the batch in flight, which is stored, and sends the next one. The lock is held.
func (p *pipeline) ack(result store.CommitResult) {
	g := p.flight
	p.flight = nil
	var outcome error
	if result.Status == store.CommitGone {
		outcome = errGone
	} else {
		p.number, p.expect = p.batch.Number, result.End.Seq
		p.paused, p.joins = result.Paused, result.Joins
	}
	p.unacked -= len(g.events)
	p.size -= g.size
	if p.batch.End != nil {
		p.err = adapter.ErrStopped
		p.ended = result
	}
	p.space.Broadcast()
	for _, acked := range g.acked {
		acked <- outcome
	}
	p.batch = store.Batch{}
	if cap(g.events) <= 2*maxBatchEvents {
		g.reset()
		p.spare = g
	}
	if p.err == nil && len(p.pending) > 0 {
		p.goOrWait()
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
