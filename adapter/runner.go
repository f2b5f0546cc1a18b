package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/aguiws/aguiws/adapter/store"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// protocolVersion is what RUN_STARTED declares: nothing is emitted that AG-UI
// 1.1 adds.
const protocolVersion = "1.0"

// Options configure a Runner.
type Options struct {
	// Agents by name; the one named "" answers inputs that name none. At least
	// that one is needed.
	Agents map[string]Agent
	// Mode says what may be relied upon. Default ModeAuto.
	Mode Mode
	// Lease is how long a worker may be silent before its run is taken over; after
	// the store itself was silent it takes up to 3/10 of that more. Default 10 s.
	// All nodes of a store should use the same.
	Lease time.Duration
	// Sweep is how often lost and waiting runs are looked for. Default 1 s.
	Sweep time.Duration
	// MaxAttempts is how often a run is tried when its workers are lost before it
	// records anything more: steps, questions and answers begin the count anew.
	// So nothing but its journal bounds an agent that loses its worker after each
	// step of an endless number. Default 3.
	MaxAttempts int
	// OnExpiry says what becomes of interrupts that expire and say nothing of
	// their own. Default ExpiryKeep.
	OnExpiry ExpiryPolicy
	// Busy says what becomes of an input while a run is active. Default
	// BusyQueue.
	Busy BusyPolicy
	// MaxRuns is how many runs this node carries at once; those that wait for answers
	// do not count. What comes beyond waits, in the store, for a place here or on
	// another node: inputs in the queue of their thread, continuations as if they
	// had been handed back. What cannot wait (an input that takes messages back or
	// turns away from open interrupts, and Requeue) is refused as CodeThreadBusy.
	// Inputs wait so whatever Busy says: it is about runs of the same thread.
	// In ModeBlocking answers are not held to it. Agents that wait for runs on other
	// threads take a place meanwhile. Default 10,000.
	MaxRuns int
	// MaxQueue is how many inputs may wait on one thread, those counted that were
	// cancelled behind a run that is active; more are refused as CodeThreadBusy.
	// Default 1,000.
	MaxQueue int
	// MaxQueueBytes is how much the inputs that wait on one thread may take in the
	// store, where a message that is new to the thread stands twice; more are
	// refused as CodeThreadBusy, and so is one alone that is larger and would have
	// to wait. Default 16 MiB.
	MaxQueueBytes int64
	// AgentWait is for how long runs of an agent that this node does not know, also
	// those that an answer or an expiry continues, are left to others before that
	// counts as failed attempts: while a deployment goes on, some nodes know agents
	// that others do not. When the attempts are used up the run ends in RUN_ERROR
	// agent_error, and its answers are given back. Runs whose journal has records of
	// a kind that this node does not know wait alike. They never spend an attempt, and
	// end in state_corrupted, as dead letters, when they have waited.
	// Default 10 min; negative: not at all.
	AgentWait time.Duration
	// RunTimeout ends a run that is active for longer with RUN_ERROR run_timeout;
	// time spent suspended does not count. 0: no limit.
	RunTimeout time.Duration
	// StoreTimeout bounds store calls that no caller bounds. Default 5 s.
	StoreTimeout time.Duration
	// Logger; nil logs nothing.
	Logger *slog.Logger
	// Hook, for tests of crashes, is called at named points of a run's life.
	Hook func(point string)
}

// Mode says how executions are continued.
type Mode string

const (
	ModeAuto    Mode = ""        // by replay of the journal, on any store
	ModeDurable Mode = "durable" // by replay, only on a store that outlives the process
	// ModeBlocking keeps an agent's goroutine waiting in Ask instead. Steps are
	// not journaled and agents need not replay. It is for one process: what
	// waits there cannot be continued by another, nor after its end.
	ModeBlocking Mode = "blocking"
)

// Runner admits inputs, carries runs and serves followers on one node. Its
// methods may be called concurrently.
type Runner struct {
	store   store.Store
	options Options
	agents  map[string]Agent
	log     *slog.Logger
	schemas schemas
	hub     *hub
	large   *largeThreads
	parts   parts
	owes    atomic.Pointer[Withdrawn]
	health  *storeHealth
	onStore atomic.Pointer[func()]
	silence silence

	ctx      context.Context // ends when runs must stop
	cancel   context.CancelCauseFunc
	stopping atomic.Bool
	others   others
	running  works // runs and claims
	claims   claims
	panics   panics
	sweeping sync.WaitGroup
	quiet    chan struct{} // closed: no more sweeps

	mu        sync.Mutex
	active    map[string]*execution // by server-made run id
	strangers map[store.ThreadKey]stranger
	held      map[store.ThreadKey]int // threads that the sweep leaves alone: see rescue.go
	failing   map[store.ThreadKey]failing
	corrupted firsts[store.ThreadKey] // of which the log has told
	// waiting are the goroutines of ModeBlocking, by execution.
	waiting map[string]*parked
}

// NewRunner starts a runner on a store, which stays the caller's to close,
// after Shutdown. The first sweep recovers what an earlier process left.
func NewRunner(st store.Store, options *Options) (*Runner, error) {
	r := &Runner{
		active: map[string]*execution{}, waiting: map[string]*parked{}, strangers: map[store.ThreadKey]stranger{},
		failing: map[store.ThreadKey]failing{}, held: map[store.ThreadKey]int{}, quiet: make(chan struct{}), others: others{known: make(chan struct{})},
	}
	if options != nil {
		r.options = *options
	}
	if r.options.Agents[""] == nil {
		return nil, errors.New(`adapter: Options.Agents needs an agent named ""`)
	}
	switch r.options.Mode {
	case ModeAuto, ModeBlocking:
	case ModeDurable:
		if !st.Durable() {
			return nil, errors.New("adapter: durable mode needs a store that outlives the process: set --redis")
		}
	default:
		return nil, fmt.Errorf("adapter: unknown mode %q", r.options.Mode)
	}
	switch r.options.OnExpiry {
	case ExpiryDefault:
		r.options.OnExpiry = ExpiryKeep
	case ExpiryKeep, ExpiryCancel, ExpiryFail:
	default:
		return nil, fmt.Errorf("adapter: unknown expiry policy %q", r.options.OnExpiry)
	}
	r.agents = r.options.Agents
	r.options.Lease = orDefault(r.options.Lease, 10*time.Second)
	if r.options.AgentWait == 0 {
		r.options.AgentWait = 10 * time.Minute
	}
	r.options.Sweep = orDefault(r.options.Sweep, time.Second)
	r.options.StoreTimeout = orDefault(r.options.StoreTimeout, 5*time.Second)
	if r.options.MaxAttempts <= 0 {
		r.options.MaxAttempts = 3
	}
	if r.options.MaxQueue <= 0 {
		r.options.MaxQueue = 1000
	}
	if r.options.MaxQueueBytes <= 0 {
		r.options.MaxQueueBytes = 16 << 20
	}
	r.log = r.options.Logger
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	if r.options.MaxRuns <= 0 {
		r.options.MaxRuns = 10_000
	}
	r.claims.max, r.claims.known, r.claims.wake = r.options.MaxRuns, map[store.ThreadKey]claimStage{}, make(chan struct{}, 1)
	r.health = newStoreHealth(r.log, r.storeChanged)
	r.log = r.StoreLog(r.log)
	r.store = watchedStore{st, r.health}
	r.silence.lease, r.silence.heard = r.options.Lease, time.Now()
	r.hub, r.large = newHub(r.store), &largeThreads{store: r.store, threads: map[store.ThreadKey]*largeThread{}}
	r.ctx, r.cancel = context.WithCancelCause(context.Background())
	st.Listen(r.receive)
	r.offer()
	r.sweeping.Go(r.sweep)
	return r, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d <= 0 {
		return otherwise
	}
	return d
}

// Durable reports whether suspensions outlive the process.
func (r *Runner) Durable() bool { return r.store.Durable() }

// StoreAvailable reports whether the store answers, as far as its latest calls
// show: not, when for more than a second none has succeeded.
func (r *Runner) StoreAvailable() bool { return r.health.available() }

// OnStore sets the one function that is called after each change of
// StoreAvailable. It must not block.
func (r *Runner) OnStore(f func()) { r.onStore.Store(&f) }

func (r *Runner) storeChanged() {
	if f := r.onStore.Load(); f != nil {
		(*f)()
	}
}

// Capabilities is what the agents can be relied upon for here, as
// AgentCapabilities.
func (r *Runner) Capabilities() json.RawMessage {
	return json.RawMessage(`{"transport":{"websocket":true,"resumable":true},` +
		`"tools":{"supported":true,"parallelCalls":true},` +
		`"state":{"snapshots":true,"deltas":true,"persistentState":true},` +
		`"humanInTheLoop":{"supported":true,"approvals":true,"interventions":true,"interrupts":true,"approveWithEdits":true}}`)
}

// receive takes what the store delivers.
func (r *Runner) receive(d store.Delivery) {
	switch d.Kind {
	case store.DeliverEvents:
		r.hub.deliver(d)
	case store.DeliverReady:
		r.claimLater(d.Thread)
	case store.DeliverWithdrawn:
		r.withdrawn(d)
	case store.DeliverFenced:
		r.fenceThread(d.Thread)
	case store.DeliverLost:
		r.hub.doubt()
	}
}

// track registers an execution; false when the runner is shut down.
func (r *Runner) track(x *execution) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return false
	}
	r.active[x.claim.RunID] = x
	return true
}

func (r *Runner) untrack(x *execution) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active[x.claim.RunID] == x {
		delete(r.active, x.claim.RunID)
	}
}

// carries is the thread's run that this node carries, as far as it knows; nil: none.
func (r *Runner) carries(key store.ThreadKey) *execution {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.active {
		if x.claim.Thread == key && x.ctx.Err() == nil && x.pipe.result().End == (store.Position{}) {
			return x
		}
	}
	return nil
}

// fence ends what this worker still does for a run that was stopped.
func (r *Runner) fence(runID string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.active[runID]; x != nil {
		x.cancel(ErrStopped)
	}
}

// fenceThread asks the store whether the thread's run is still this worker's.
func (r *Runner) fenceThread(key store.ThreadKey) {
	r.mu.Lock()
	var doubted []*execution
	for _, x := range r.active {
		if x.claim.Thread == key {
			doubted = append(doubted, x)
		}
	}
	r.mu.Unlock()
	for _, x := range doubted {
		r.background(func() {
			_ = r.contain("fence", key, func() error { // the lease ends it otherwise
				ctx, cancel := context.WithTimeout(r.ctx, r.options.StoreTimeout)
				defer cancel()
				if kept, err := x.lease.ask(ctx); err == nil && !kept {
					x.cancel(ErrStopped)
				}
				return nil
			})
		})
	}
}

// background runs fn in a goroutine that Shutdown waits for.
func (r *Runner) background(fn func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return
	}
	r.running.start(fn)
}

func (r *Runner) draining() bool { return r.stopping.Load() }

// enter counts a call that may start a run, so that Shutdown waits for it and
// for the run; false when it is too late. The caller ends it.
func (r *Runner) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.draining() {
		return false
	}
	r.running.begin()
	return true
}

func (r *Runner) reached(point string) {
	if r.options.Hook != nil {
		r.options.Hook(point)
	}
}
