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
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/calls"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/dispatch"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/folded"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
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
	*operate.Desk // what operators call

	node      *node.Node
	admission *admit.Admission
	control   *admit.Control
	hub       *follow.Hub
	capacity  *carry.Capacity
	active    *carry.ActiveRuns
	parking   *execution.Parking
	presence  *carry.Presence
	sweeper   *dispatch.Sweeper
	onStore   atomic.Pointer[func()]
}

// New starts a runner on a store, which stays the caller's to close,
// after Shutdown. The first sweep recovers what an earlier process left.
func New(st store.Store, options *Options) (*Runner, error) {
	o, err := options.complete(st.Durable(), st.Lease())
	if err != nil {
		return nil, err
	}
	r := new(Runner)
	n := &node.Node{Options: o.settings(), Agents: slices.Sorted(maps.Keys(o.Agents)), Quiet: make(chan struct{}), Health: node.NewStoreHealth(o.Logger, r.storeChanged), Folded: folded.New(o.ThreadCache), Company: node.NewCompany(o.Linger)}
	n.Log, n.Store = node.ThinLog(o.Logger, n.Health), node.WatchedStore{Store: st, Health: n.Health}
	if o.Traces != nil {
		n.Traces = tracing.New(o.Traces, st.Node())
	}
	n.Ctx, n.Cancel = context.WithCancelCause(context.Background())
	r.node = n
	r.hub = follow.New(n.Store, n.Folded)
	r.active = &carry.ActiveRuns{Node: n, Runs: map[string]*execution.Activation{}}
	r.parking = &execution.Parking{Parked: map[string]*execution.Parked{}}
	r.presence = &carry.Presence{Node: n, Known: make(chan struct{})}
	grace := &dispatch.Grace{Lease: o.Lease, Heard: time.Now()}
	backoff := carry.NewBackoff(n)
	r.capacity = carry.NewCapacity(n, backoff)
	r.control = &admit.Control{Node: n, Active: r.active, Capacity: r.capacity, Backoff: backoff, Hub: r.hub, Turns: admit.NewTurns(n.Quiet)}
	quotas := carry.NewQuotas(n)
	worker := &carry.Worker{Node: n, Capacity: r.capacity, Backoff: backoff, Active: r.active, Parking: r.parking, Presence: r.presence, Quotas: quotas}
	r.admission = &admit.Admission{Node: n, Worker: worker, Control: r.control, Capacity: r.capacity, Backoff: backoff, Parking: r.parking, Quotas: quotas, Turns: r.control.Turns}
	called := &calls.Calls{Node: n, Admission: r.admission}
	worker.Calls, r.control.Calls = called, called
	r.capacity.Claim = (&dispatch.Claimer{Calls: called.Due, Node: n, Worker: worker, Admission: r.admission, Capacity: r.capacity, Backoff: backoff, Active: r.active, Grace: grace, Quotas: quotas}).TryClaim
	r.Desk = operate.New(n, r.admission, r.control, r.capacity, backoff, quotas, called)
	r.sweeper = &dispatch.Sweeper{Node: n, Finish: r.Desk.FinishDeletes, Hub: r.hub, Capacity: r.capacity, Backoff: backoff, Grace: grace, Quotas: quotas, Nudges: make(chan store.Delivery, dispatch.MaxNudges)}
	st.Listen(r.receive)
	r.presence.Offer()
	r.sweeper.Over.Go(r.sweeper.Sweep)
	r.sweeper.Over.Go(r.sweeper.Await)
	return r, nil
}

// Durable reports whether suspensions outlive the process.
func (r *Runner) Durable() bool { return r.node.Store.Durable() && !r.node.Options.Blocking }

// StoreAvailable reports whether the store answers, as far as its latest calls
// show: not, when for more than a second none has succeeded.
func (r *Runner) StoreAvailable() bool { return r.node.Health.Available() }

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
	runs := r.capacity.Carries()
	return Load{Runs: runs, MaxRuns: r.node.Options.MaxRuns, Panics: r.node.Panics.Count.Load(), Cached: Cached(r.node.Folded.Usage())}
}

// WorkStats is what waits for workers of this node's agents, on any node.
func (r *Runner) WorkStats(ctx context.Context) ([]store.WorkStats, error) {
	return r.node.Store.WorkStats(ctx, r.node.Agents)
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
		r.capacity.ClaimLater(d.Thread)
	case store.DeliverWork:
		r.sweeper.Nudged(d)
	case store.DeliverCancelled:
		r.control.Cancelled(d)
	case store.DeliverFenced:
		r.active.FenceThread(d.Thread)
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
	return node.ThinLog(l, r.node.Health)
}
