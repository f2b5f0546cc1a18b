package store

import (
	"context"
	"encoding/json"
	"time"
)

// Admission is what deciding about an input needs.
type Admission interface {
	// Read returns the thread as it is, and with q.Follower registers that node
	// as a follower of the thread, in the same step. An unused thread reads as
	// an empty one; to follow it stores its epoch; to look at it stores nothing, and its epoch is
	// empty.
	Read(ctx context.Context, key ThreadKey, q ReadQuery) (*ThreadView, error)
	// Begin admits one run that was judged on a view of Version b.Version. It
	// changes nothing unless it answers BeginAccepted. Sent again with the same
	// run id it answers as it did the first time.
	Begin(ctx context.Context, b Begin) (BeginResult, error)
	// Stop ends the named run on purpose, whatever its worker does, and fences
	// that worker. See StopResult.
	Stop(ctx context.Context, s Stop) (StopResult, error)
}

// Begin asks for a run. Either Queue is set, or the run starts at once on this
// node: then Token and Events are, and Frozen (a new execution), Answers with
// Answer (the continuation of the suspended one), or Frozen with Answers (the
// suspended execution ends as cancelled and a new one begins).
type Begin struct {
	Thread    ThreadKey
	Version   int64 // of the view that was judged
	RunID     string
	Label     string // the client's runId
	Execution string // new, or the suspended one's
	Record    json.RawMessage
	Tenant    string // whose inbox the thread's interrupts are in; the thread's first counts
	Title     string // names a thread that has no title yet

	Priority    int       // 1 is claimed first, 255 last, then in the order of arrival; 0: 128
	Dedupe      string    // refuse (BeginDuplicate) while a dispatch of the thread with this key is queued or claimed; "": never
	Available   time.Time // not to be claimed before, unless by id; zero: at once. With Queue
	MaxAttempts int       // claims after which the dispatch is exhausted; 0: 3
	// Requeues names the dead letter that this run goes on with: without Frozen
	// it continues its execution and journal, with Frozen it begins again.
	// BeginGone when that is not possible any more. Not with Queue.
	Requeues string

	Queue bool
	Input json.RawMessage // what activation needs; with Queue
	// Cancelled are the RUN_STARTED and RUN_FINISHED cancelled events to log if
	// the run is stopped in the queue; with Queue.
	Cancelled [2][]byte

	Token  string
	Events [][]byte        // RUN_STARTED
	Frozen json.RawMessage // with a new execution: what its function sees
	Agent  string

	Answers map[string]json.RawMessage // by interrupt id: kept with the answer
	Answer  json.RawMessage            // the journal record of the decisions
	// Archive are the messages that the run takes out of the thread, by id.
	Archive  map[string]json.RawMessage
	Deadline int64 // Unix ms: refuse (BeginExpired) when the store's clock is past it; 0: none
}

// BeginResult answers Begin.
type BeginResult struct {
	Status BeginStatus
	Start  Position // the position before its RUN_STARTED (when queued: the log's end)
	Claim  Claim    // when started; zero if it has been stopped or taken over since
	Of     string   // BeginDuplicate: the dispatch that holds the key
}

// BeginStatus is Begin's verdict.
type BeginStatus int

const (
	BeginAccepted  BeginStatus = iota
	BeginStale                 // the thread's version has moved: read and judge again
	BeginExpired               // the deadline has passed by the store's clock
	BeginDuplicate             // a live dispatch has the same dedupe key
	BeginGone                  // the dead letter was requeued already, or its execution is forgotten
)

// Stop ends a run on purpose.
type Stop struct {
	Thread  ThreadKey
	Request string // names this call: sent again it stops nothing else
	Label   string // the client's runId: its latest run that has not ended
	RunID   string // instead of Label: this run
	Waiting bool   // stop it only if it waits in the queue
	Reason  string // kept with the dispatch
	// Terminal is the RUN_FINISHED cancelled event for an active run.
	Terminal []byte
}

// StopResult answers Stop.
type StopResult struct {
	// Stopped: it was active, and its terminal event is logged; or it waited in
	// the queue, and will be logged when the queue is next released.
	Stopped bool
	// Queued: it waited; Events are the two events its sender is owed.
	Queued bool
	Events [][]byte
	RunID  string
	Ready  bool // as CommitResult
}
