// Package execution is an execution under way on this node: it calls the agent, and does what
// its Run asks for.
package execution

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
	"github.com/aguiws/aguiws/protocol/order"
)

// execution is one activation of an execution: a claimed run, and the agent's
// function being called for it.
type execution struct {
	Activation
	node      *node.Node
	Parking   *Parking
	HandsBack func(ctx context.Context, agent string) bool // see presence
	Calls     Calls
	agent     adapter.Agent
	named     string // as which the node knows the agent
	label     string // of the run that carries it
	id        string
	frozen    store.Frozen
	given     *conversation // the messages of frozen's input; nil: they are stored with it
	headers   map[string]string

	continuing bool          // the run answers interrupts
	before     time.Duration // for which the run was active before this worker had it
	parked     *Parked
	left       chan departure // receives once: the agent's goroutine has left

	mu        sync.Mutex // guards what follows
	journal   *journal.Journal
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
	urgent    bool                  // of the events that are being admitted, one waits for no company
	mute      []protocol.ItemKey    // items that are open and have no delta
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
	Broken    error                 // why the run could not be ended in order
	joiners   bool                  // inputs waited to join when the run came here
	called    bool                  // the run has suspended to wait for another agent
	leaving   bool                  // another worker is to go on: no new step starts
	recorded  bool                  // a takeover finds something to go on from
}

// Activation is a claimed run while this worker carries it.
type Activation struct {
	Claim  store.Claim
	Pipe   *pipeline
	Lease  *lease
	Ctx    context.Context // ends when the run is over for this worker
	Cancel context.CancelCauseFunc
}

// ending is what a run's RUN_FINISHED says beside its outcome.
type ending struct {
	result   json.RawMessage
	metadata protocol.Metadata
}

// Calls is what an execution needs of the house for calling agents, and for being called.
type Calls interface {
	// End ends, for a user, the execution on a child thread that a thread has called and does not wait for
	// any more. One that has not begun never does: it asks Waits first.
	End(ctx context.Context, caller store.ThreadKey, child, by string) error
	// Waits reports whether a call is waited for.
	Waits(ctx context.Context, namespace string, caller *store.Caller) (bool, error)
}
