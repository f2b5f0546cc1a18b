package runner

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/store"
)

// Runner admits inputs, carries runs and serves followers on one node. Its
// methods may be called concurrently.
//
// A worker that cannot renew its lease because the store does not answer keeps its
// runs: what they have done is stored when it does, and until then no step starts
// and Emit waits when its room is full. Only the store takes a run away from it, by
// saying that another worker has it. Nodes whose sweep found the store silent for half
// a lease let holders renew for three tenths of one, once it answers, before they
// take runs over.
//
// A runner that shuts down hands an execution back at its next step if another
// node takes runs of its agent. If none does, it finishes the run.
type Runner struct {
	*node
	*admission  // Submit
	*control    // CancelLeft
	*stops      // Cancel, StopAll
	*threads    // Threads, Inject
	*trees      // CreateThread, Below, DeleteTree
	*inbox      // Inbox, Answer, Pause, Unpause
	*dispatches // Runs, DeadLetters, Requeue
	*records    // Decisions, Notices, Quotas

	hub      *follow.Hub
	capacity *capacity
	active   *activeRuns
	parking  *parking
	presence *presence
	sweeper  *sweeper
	onStore  atomic.Pointer[func()]
}

// NewRunner starts a runner on a store, which stays the caller's to close,
// after Shutdown. The first sweep recovers what an earlier process left.
func NewRunner(st store.Store, options *Options) (*Runner, error) {
	o, err := options.complete(st.Durable())
	if err != nil {
		return nil, err
	}
	r := new(Runner)
	n := &node{options: o.settings(), agents: slices.Sorted(maps.Keys(o.Agents)), quiet: make(chan struct{}), health: newStoreHealth(o.Logger, r.storeChanged), folded: folded.New(o.ThreadCache)}
	n.log, n.store = thinLog(o.Logger, n.health), watchedStore{st, n.health}
	n.ctx, n.cancel = context.WithCancelCause(context.Background())
	r.node = n
	r.hub = follow.New(n.store, n.folded)
	r.active = &activeRuns{node: n, runs: map[string]*activation{}}
	r.parking = &parking{parked: map[string]*parked{}}
	r.presence = &presence{node: n, known: make(chan struct{})}
	grace := &grace{lease: o.Lease, heard: time.Now()}
	backoff := newBackoff(n)
	r.capacity = newCapacity(n, backoff)
	r.control = &control{node: n, active: r.active, capacity: r.capacity, backoff: backoff, hub: r.hub, turns: newTurns(n.quiet)}
	quotas := newQuotas(n)
	worker := &worker{n, r.capacity, backoff, r.active, r.parking, r.presence, quotas}
	r.admission = &admission{node: n, worker: worker, control: r.control, capacity: r.capacity, backoff: backoff, parking: r.parking, quotas: quotas, turns: r.control.turns}
	r.capacity.claim = (&claimer{n, worker, r.admission, r.capacity, backoff, r.active, grace, quotas}).tryClaim
	r.stops = &stops{n, r.control, r.admission}
	r.threads = &threads{n, r.admission, backoff}
	r.trees = &trees{n, r.threads, quotas}
	r.inbox = &inbox{n, r.admission, r.threads, backoff}
	r.records = &records{n}
	r.dispatches = &dispatches{n, r.admission, r.capacity, backoff}
	r.sweeper = &sweeper{node: n, finish: r.trees.finish, hub: r.hub, capacity: r.capacity, backoff: backoff, grace: grace, quotas: quotas, nudges: make(chan store.Delivery, maxNudges)}
	st.Listen(r.receive)
	r.presence.offer()
	r.sweeper.over.Go(r.sweeper.sweep)
	r.sweeper.over.Go(r.sweeper.await)
	return r, nil
}

// Durable reports whether suspensions outlive the process.
func (r *Runner) Durable() bool { return r.store.Durable() && !r.options.Blocking }

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

// Load returns what the node carries now.
func (r *Runner) Load() Load {
	runs := r.capacity.carries()
	return Load{Runs: runs, MaxRuns: r.options.MaxRuns, Panics: r.panics.count.Load(), Cached: Cached(r.folded.Usage())}
}

// WorkStats is what waits for workers of this node's agents, on any node.
func (r *Runner) WorkStats(ctx context.Context) ([]store.WorkStats, error) {
	return r.store.WorkStats(ctx, r.agents)
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
		r.hub.Deliver(d)
	case store.DeliverReady:
		r.capacity.claimLater(d.Thread)
	case store.DeliverWork:
		r.sweeper.nudged(d)
	case store.DeliverCancelled:
		r.control.cancelled(d)
	case store.DeliverFenced:
		r.active.fenceThread(d.Thread)
	case store.DeliverLost:
		r.hub.Doubt()
	}
}

// Follow makes a cursor over a thread's log: see follow.Hub.
func (r *Runner) Follow(key store.ThreadKey, notify func()) *follow.Follower {
	return r.hub.Follow(key, notify)
}

// Repeat answers a repeated input from the run that carries it out: see follow.Hub.
func (r *Runner) Repeat(ctx context.Context, key store.ThreadKey, runID, label string) (follow.Repeated, error) {
	return r.hub.Repeat(ctx, key, runID, label)
}

// StoreLog returns a logger that writes to l and is thin about the store. A message whose
// "error" is an ErrOutcomeUnknown is written at the level debug while no call of the store
// succeeds. The runner itself says once that the store is down, once a minute that it still
// is, and when it is not. Five a minute of such messages about single calls are left as
// they are. Long texts are cut.
func (r *Runner) StoreLog(l *slog.Logger) *slog.Logger {
	return thinLog(l, r.health)
}
