package adapter

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
)

// Run is an execution as its agent sees it. It lives while the agent's
// function is called; the zero value is of no use. Its methods may be called
// concurrently, but what a replay must find again (ids, steps, asks) is
// numbered in the order of the calls, so only one goroutine should make them;
// Parallel gives each branch a Run of its own.
type Run struct {
	x *execution
	s *scope
}

// Label is the client's runId for the run that began the execution, the same in
// every replay. The run that an answer began has another.
func (r *Run) Label() string { return r.x.frozen.Label }

// ThreadID is the thread's id.
func (r *Run) ThreadID() string { return r.x.claim.Thread.Thread }

// Input is the input that began the execution, with the thread's whole
// conversation as its messages and the thread's state as its state. It is
// shared between calls, its messages with other runs of the thread as well: neither
// it nor what it holds must be changed. An agent clones what it edits for its model.
func (r *Run) Input() *protocol.RunAgentInput { return r.x.frozen.Input }

// Now is when the execution began, by the store's clock.
func (r *Run) Now() time.Time { return r.x.frozen.Now }

// NewID makes an id that is unique in all threads and the same in every
// replay.
func (r *Run) NewID() string {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.s.newID(r.x.id)
}

// State is the thread's state after what the run has emitted so far. During a
// replay it may already hold what is emitted later.
func (r *Run) State() json.RawMessage {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.State()
}

// Messages are the thread's messages as of now: with what the run has emitted so far, an
// open message as far as it has come, and what came with answers. A replay may already see
// what is emitted later, as State says. Neither the slice nor what it holds must be
// changed: both are shared. Events that a branch of Parallel holds back are not in them.
func (r *Run) Messages() protocol.Messages {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	return r.x.fold.Messages()
}

// Namespace is where the thread's id means something: threads of two namespaces may have
// the same id.
func (r *Run) Namespace() string { return r.x.claim.Thread.Namespace }

// scope is a line of calls that is numbered on its own: the agent's function,
// or a branch of Parallel. Guarded by the execution's lock.
type scope struct {
	name    string
	branch  bool
	entries []*store.JournalEntry // what the journal holds for it
	final   int                   // how many of them a takeover cannot take back
	cursor  int                   // how many of them the replay has met
	names   map[string]int
	ids     int
	calls   map[string]int // carried out so far, by id
	keys    string         // begins what idempotency keys derive from
	step    string         // key of the step that is running
	stepIDs int
	// shadow is what the replayed emissions would hold open; reopen what of it
	// is closed on the wire and must be opened again before it goes on.
	shadow *fold.Fold
	reopen map[protocol.ItemKey]protocol.Event
	held   []protocol.Event // in a branch: emitted since its last entry
	// heldTexts are those of held that have one already; nil: none has.
	heldTexts [][]byte
	forked    bool // Parallel has its branches running
}

func newScope(j *journal, name string, branch bool) *scope {
	s := &scope{name: name, branch: branch, entries: j.scopes[name], names: map[string]int{}, calls: map[string]int{}}
	for i, r := range s.entries {
		ref := store.StepRef{Scope: name, Key: r.Key}
		if r.Kind != store.EntryStart || j.steps[ref] != nil || j.brokeOff[ref] {
			s.final = i + 1
		}
	}
	if s.final > 0 {
		s.shadow = fold.New(nil, nil)
		s.shadow.Apply(&protocol.RunStarted{})
	}
	return s
}

// live reports whether what is emitted now is new.
func (s *scope) live() bool { return s.cursor >= s.final }

// next returns the entry that the journal holds for the next call, nil past
// its end.
func (s *scope) next() *store.JournalEntry {
	if s.cursor >= len(s.entries) {
		return nil
	}
	return s.entries[s.cursor]
}

// number returns the key of the next call of that name.
func (s *scope) number(name string) string {
	s.names[name]++
	return ordinalKey(name, s.names[name])
}

func (s *scope) newID(execution string) string {
	if s.step != "" {
		s.stepIDs++
		return derive(execution, s.name+"/"+s.step, s.stepIDs)
	}
	s.ids++
	return derive(execution, s.name, s.ids)
}

// callKey is the idempotency key of the next call with that id.
func (r *Run) callKey(id string) string {
	r.x.mu.Lock()
	defer r.x.mu.Unlock()
	n := r.s.calls[id]
	r.s.calls[id]++
	return derive(r.x.id, r.s.keys+"call/"+id, n)
}

// execution is one activation of an execution: a claimed run, and the agent's
// function being called for it.
type execution struct {
	activation
	node     *node
	parking  *parking
	presence *presence
	agent    Agent
	named    string // as which the node knows the agent
	label    string // of the run that carries it
	id       string
	frozen   store.Frozen
	given    *conversation // the messages of frozen's input; nil: they are stored with it
	headers  map[string]string

	continuing bool          // the run answers interrupts
	before     time.Duration // for which the run was active before this worker had it
	parked     *parked
	left       chan departure // receives once: the agent's goroutine has left

	mu        sync.Mutex // guards what follows
	journal   *journal
	main      *scope
	forks     int // calls of Parallel under way
	renames   renames
	over      map[string]bool // subagents that have ended in this run
	ended     []string        // these, in order
	sequence  order.Sequence
	expander  protocol.Expander
	fold      *fold.Fold
	stored    *fold.Fold            // as of the stored snapshot
	version   int64                 // of the thread before the run
	hasParts  bool                  // the stored snapshot has what an execution was given
	texts     [][]byte              // of the events that are being admitted; the slice is used again
	closes    json.RawMessage       // what closing told last
	room      int64                 // bytes that may be added here; see outgrown
	allowed   int64                 // bytes by which the run may make its thread larger
	weighed   int64                 // the fold when the run came here
	behind    int64                 // weight of the log behind the stored snapshot
	rewritten int64                 // bytes that the latest checkpoint wrote
	back      recorded              // what a takeover goes back to
	undo      *store.Undo           // of the stored snapshot, as it was found
	open      pendingCalls          // calls this run opened that have no result
	noEffect  bool                  // an event had no effect, and the log has told of it
	usage     []protocol.TokenUsage // what Usage was told
	ending    ending                // what Finish was told
	sealed    error                 // why nothing more may be done
	broken    error                 // why the run could not be ended in order
	joiners   bool                  // inputs waited to join when the run came here
	leaving   bool                  // another worker is to go on: no new step starts
	recorded  bool                  // a takeover finds something to go on from
}

// insideKey marks the context handed to steps and branches.
type insideKey struct{}

func inside(ctx context.Context, what string) context.Context {
	return context.WithValue(ctx, insideKey{}, what)
}

// inside names what a caller is inside of where only a whole run may call; "": of
// nothing. The execution's lock is held.
func (x *execution) inside(ctx context.Context, s *scope) string {
	what, _ := ctx.Value(insideKey{}).(string)
	switch {
	case what != "":
		return what
	case s.step != "":
		return "step " + s.step
	case s.branch || x.forks > 0:
		return "a branch of Parallel"
	}
	return ""
}

// activation is a claimed run while this worker carries it.
type activation struct {
	claim  store.Claim
	pipe   *pipeline
	lease  *lease
	ctx    context.Context // ends when the run is over for this worker
	cancel context.CancelCauseFunc
}
