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

// Begin asks for a run. It has what every run takes, and in Kind how this one begins.
type Begin struct {
	Thread    ThreadKey
	Version   int64 // of the view that was judged
	RunID     string
	Label     string // the client's runId
	Execution string // a new one's id; of Resume and Requeue that of the one that goes on
	Record    json.RawMessage
	// Headers are for whoever carries the run, and for nobody else: they are given to its
	// claims, and forgotten when it ends; those of a dead letter when that is requeued, which
	// hands them on, or forgotten itself. Nil: there are none.
	Headers json.RawMessage
	Tenant  string // whose inbox the thread's interrupts are in; the thread's first counts
	User    string // whom the thread counts for; the thread's first counts. "": nobody
	Title   string // names a thread that SetTitle has not named; "": what it is called stays

	Priority    *uint8 // 0 is claimed first, 255 last, then in the order of arrival; nil: 128
	Dedupe      string // refuse (BeginDuplicate) while a dispatch of the thread with this key is queued or claimed; "": never
	MaxAttempts int    // claims after which the dispatch is exhausted; 0: 3
	Deadline    int64  // Unix ms: refuse (BeginExpired) when the store's clock is past it; 0: none
	Sender      bool   // this node follows for no more than this run, unless it watches the thread already: see Stop.Unwatched

	Kind BeginKind
}

// BeginKind is how a run begins: Enqueue, Execute, Resume, Steer or Requeue. All but
// the first begin at once, claimed by this node, and want a thread without an active
// run. Execute and Requeue want that no interrupt is open, Resume and Steer that
// some are.
type BeginKind interface{ begins() }

// Enqueue lets the run wait in the thread's queue until it is claimed and activated.
type Enqueue struct {
	Agent     string          // whose workers it waits for
	Input     json.RawMessage // what activation needs
	Available time.Time       // not to be claimed before, unless by id; zero: at once
	// Joins has the run that is active, or the next one that is, told that the input
	// waits to be taken by it: see CommitResult.Joins and Batch.Join.
	Joins bool
	// Cancelled are the RUN_STARTED and RUN_FINISHED cancelled events to log if
	// the run is stopped in the queue.
	Cancelled [2][]byte
}

// Execute begins a new execution.
type Execute struct {
	Claimed
	Fresh
	// Letter is the dead letter whose input begins again from the top; "": none.
	// BeginGone when it was requeued already.
	Letter string
}

// Resume answers the open interrupts, and the suspended execution goes on.
type Resume struct {
	Claimed
	Answers   map[string]json.RawMessage // by interrupt id: kept with the answer
	Decided   []Decided                  // what the record says of each
	Decisions json.RawMessage            // the journal entry that the execution finds
	// Waits is ThreadView.Execution as it was read with the version, so that the store need not
	// tell its journal again; nil: it was not.
	Waits *ExecutionView
}

// Steer answers the open interrupts, the suspended execution ends as cancelled, and
// a new one begins.
type Steer struct {
	Claimed
	Fresh
	Answers map[string]json.RawMessage // as Resume's
	Decided []Decided                  // as Resume's
}

// Requeue goes on with the execution and journal of a dead letter. BeginGone when it
// was requeued already, or its execution is forgotten.
type Requeue struct {
	Claimed
	Letter string
}

// Claimed is what a run takes that begins at once.
type Claimed struct {
	Token  string   // of its claim
	Events [][]byte // RUN_STARTED, and what the run says before its function does
}

// Fresh is what a new execution takes.
type Fresh struct {
	Agent  string
	Frozen json.RawMessage // what its function sees
	// Archive are the messages that the run takes out of the thread, by id, and what is
	// to be kept of them.
	Archive map[string]json.RawMessage
	// Branch is what a list of branches says of them, and the messages, to be restored;
	// nil: they are taken out for good. Its ID is the run's.
	Branch *Branch
	// Restores is the branch whose messages are the thread's again, and which is one no
	// more; "": none is.
	Restores string
}

func (Enqueue) begins() {}
func (Execute) begins() {}
func (Resume) begins()  {}
func (Steer) begins()   {}
func (Requeue) begins() {}

// Claimed returns what the run takes if it begins at once; nil: it is queued.
func (b Begin) Claimed() *Claimed {
	switch k := b.Kind.(type) {
	case Execute:
		return &k.Claimed
	case Resume:
		return &k.Claimed
	case Steer:
		return &k.Claimed
	case Requeue:
		return &k.Claimed
	}
	return nil
}

// Answers returns what the run answers, by interrupt id; nil: nothing.
func (b Begin) Answers() map[string]json.RawMessage {
	switch k := b.Kind.(type) {
	case Resume:
		return k.Answers
	case Steer:
		return k.Answers
	}
	return nil
}

// BeginResult answers Begin.
type BeginResult struct {
	Status   BeginStatus
	Position Position // the position before its RUN_STARTED (when queued: the log's end)
	Claim    Claim    // when it began at once; zero if it has been stopped or taken over since
	Of       string   // BeginDuplicate: the dispatch that holds the key
	// Headers are, of a run that requeues a dead letter, the letter's.
	Headers json.RawMessage
	// Execution is, of a run that goes on with an execution and has a Claim, what
	// Worker.Journal says of it, in the same round trip; nil: it is asked there.
	Execution *ExecutionView
}

// BeginStatus is Begin's verdict.
type BeginStatus int

const (
	BeginAccepted  BeginStatus = iota
	BeginStale                 // the thread's version has moved: read and judge again
	BeginExpired               // the deadline has passed by the store's clock
	BeginDuplicate             // a live dispatch has the same dedupe key
	BeginGone                  // the dead letter was requeued already, or its execution is forgotten
	BeginDeleting              // the thread is being deleted, with those above it
)

// Stop ends a run on purpose.
type Stop struct {
	Thread     ThreadKey
	Request    string // names this call: sent again it stops nothing else
	Label      string // the client's runId: its latest run that has not ended
	RunID      string // instead of Label: this run
	QueuedOnly bool   // stop it only if it waits in the queue
	ActiveOnly bool   // stop it only if it does not
	// Unwatched: stop it only if no other node watches the thread, as those do that
	// have registered as follower but by a Begin of a Sender, and the one that carries
	// the active run if it follows at all.
	Unwatched bool
	// Behind: stop it only if an input waits in the queue that could begin now and has
	// waited for no longer than this. 0: whatever waits.
	Behind time.Duration
	// Letter: cancel it as well if it is a dead letter that was not requeued, so that it is
	// listed no more. Its log stays as it is.
	Letter bool
	Reason string // kept with the dispatch
	By     string // as Dispatch.StoppedBy
	// Terminal is the RUN_FINISHED cancelled event for an active run.
	Terminal []byte
}

// StopResult answers Stop.
type StopResult struct {
	// Stopped: it was active, and its terminal event is logged; or it waited in
	// the queue, and will be logged when the queue is next released; or it was a dead
	// letter.
	Stopped bool
	// Queued: it waited; Events are the two events its sender is owed.
	Queued bool
	Events [][]byte
	RunID  string
	Ready  bool // as CommitResult
	// Behind is how many events the log has behind the snapshot by now, if an active run
	// was stopped.
	Behind int64
}
