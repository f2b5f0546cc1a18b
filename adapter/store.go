package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrOutcomeUnknown wraps every store error after which the call may or may
// not have taken effect (a lost reply, a time-out, a fail-over). The same call
// may be sent again: each writing call recognises itself.
var ErrOutcomeUnknown = errors.New("adapter: the store did not answer, the outcome is unknown")

// ErrClaimLost is Journal's answer to a claim that is not held any more.
var ErrClaimLost = errors.New("adapter: the claim is lost")

// ErrBadCursor is wrapped by Index calls for a cursor that is none of theirs.
var ErrBadCursor = errors.New("adapter: the cursor is not one that this list has given")

// ThreadKey names a thread. A thread id means something only inside its
// namespace.
type ThreadKey struct {
	Namespace string
	Thread    string
}

// Position is a place in a thread's log: the event numbered Seq, counted from
// 1, in the log's life named Epoch. Seq 0 is before the first event.
type Position struct {
	Epoch string
	Seq   int64
}

// Store keeps threads. Every call is atomic: a client, a second node or a
// crash sees all of it or nothing. All methods may be called concurrently.
// Time is the store's own clock. The parts are declared by their callers:
// what admission needs, what a worker needs, what readers need.
type Store interface {
	Admission
	Worker
	Mailbox
	Reader
	Index
}

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

// Worker is what carrying a run needs.
type Worker interface {
	// Claim takes the thread's next activation: an active dispatch whose lease
	// has expired (ClaimTakeover; ClaimQueued again when it was never
	// activated), else the head of the queue if no run is active and no
	// interrupt is open (ClaimQueued), else ClaimExpired or ClaimNothing. A
	// claim raises the dispatch's attempts. Sent again with the same token it
	// answers the same claim.
	Claim(ctx context.Context, c ClaimRequest) (ClaimResult, error)
	// Activate starts a dispatch claimed from the queue: it creates the
	// execution and appends RUN_STARTED. Fenced like Commit; its events are
	// commit number 1 of the claim.
	Activate(ctx context.Context, a Activation) (CommitResult, error)
	// Commit appends one batch of one run, in order, fenced by the claim.
	// Batches of one claim are numbered from 1 and sent one at a time; the
	// batch numbered as the last one stored is recognised as a retry.
	Commit(ctx context.Context, b Batch) (CommitResult, error)
	// Renew extends the claim's lease to now + lease. False: the claim is lost.
	Renew(ctx context.Context, c Claim) (bool, error)
	// HandBack gives an active claim up without an end, so that any node may
	// claim it at once as a takeover; the attempt is not counted. A dispatch that
	// was not activated waits again, at the head of its thread.
	HandBack(ctx context.Context, c Claim) error
	// Due returns threads that want a Claim: queued dispatches that are ready,
	// leases that have expired, and suspensions past their deadline. At most
	// limit.
	Due(ctx context.Context, limit int) ([]ThreadKey, error)
	// Journal returns the live execution and its journal for a claim, or
	// ErrClaimLost.
	Journal(ctx context.Context, c Claim) (*ExecutionView, error)
}

// Reader is what following a thread needs.
type Reader interface {
	// Range returns events first..first+n of the log. RangeGone: they are
	// trimmed. RangeEpoch: the log has another epoch by now.
	Range(ctx context.Context, key ThreadKey, epoch string, first int64, limit int) (RangeResult, error)
	// Tail renews this node's registration as follower of the threads and
	// returns the end of each log, in the order asked.
	Tail(ctx context.Context, keys []ThreadKey) ([]Position, error)
	// Listen sets the one function that receives what is logged on this node
	// (after the acknowledgement) and on others (for threads this node
	// follows). It is called from several goroutines, must not block, and may
	// see batches twice, out of order, or not at all: positions tell. Call it
	// once, before any other method.
	Listen(func(Delivery))
	// Durable reports whether suspensions outlive this process.
	Durable() bool
	// Node is the id under which this process follows and claims.
	Node() string
}

// Delivery is what Listen's function receives.
type Delivery struct {
	Thread ThreadKey
	Kind   DeliveryKind
	Epoch  string
	First  int64    // position of Events[0]
	Events [][]byte // shared: must not be changed. None: the log has begun again, under another epoch
	Token  string   // DeliverFenced: the token of the claim that was fenced
}

// DeliveryKind says what a Delivery is about.
type DeliveryKind int

const (
	DeliverEvents DeliveryKind = iota // Events were logged, or the thread was deleted
	DeliverReady                      // the thread has a dispatch to claim
	DeliverFenced                     // the run active here was stopped or claimed elsewhere
	// DeliverWithdrawn: an input was stopped while it waited. Events are the two
	// that its sender is owed; no log has them yet, and Epoch and First say nothing.
	DeliverWithdrawn
	DeliverLost // deliveries may have been missed: verify by Tail. Thread is empty: all of them
)

// ReadQuery says which parts of a thread are wanted beyond its record.
type ReadQuery struct {
	After        *Position // events after it, when they are retained in the same epoch; see ThreadView.Recovered
	Label        string    // run records under this client runId
	InterruptIDs []string  // how these were answered
	ToolCallIDs  []string  // which of these calls have or had an interrupt
	MessageIDs   []string  // which of these messages were archived
	RunID        string    // this server-made run record
	Inputs       bool      // the waiting inputs themselves
	Follower     bool      // register this node
}

// ThreadView is a thread as one atomic read saw it.
type ThreadView struct {
	Thread   ThreadKey
	Version  int64 // raised by every decision: begin, claim, activate, end, nack, stop, interrupt; and when a draft is replaced or taken back
	Epoch    string
	Base     int64 // position of the first retained event
	Seq      int64 // position of the last event; 0 in an empty log
	Boundary int64 // position of the last terminal event
	Now      time.Time

	Snapshot Snapshot
	Log      [][]byte // the events after Snapshot.At, up to Seq. Nil when Recovered
	// Recovered is true when ReadQuery.After could be honoured; then Missed
	// holds the events after it, and Snapshot and Log are empty.
	Recovered bool
	Missed    [][]byte

	Suspension json.RawMessage            // the open suspension as Batch.End gave it; nil when no interrupt is open
	Active     *RunState                  // the claimed dispatch's run
	Latest     *RunState                  // the latest run with a RUN_STARTED in the log
	Queue      []QueuedRun                // waiting inputs, in order, without the cancelled ones
	Waiting    int                        // how many stand in the queue, with the cancelled ones that are not logged yet
	Labelled   []RunState                 // runs under ReadQuery.Label, oldest first: the latest 31 at least, and the active one
	Run        *RunState                  // ReadQuery.RunID
	Answers    map[string]json.RawMessage // by interrupt id, of those asked for
	Asked      map[string]bool            // of ReadQuery.ToolCallIDs
	Archived   map[string]bool            // of ReadQuery.MessageIDs

	Tenant        string // of the Begin that used the thread first
	Title         string
	DispatchEpoch int64                      // raised by each Interrupt
	Paused        bool                       // its run is wished to suspend, or about to: see Mailbox.Pause
	Drafts        map[string]json.RawMessage // see Index.Drafts
}

// Snapshot is messages and state as of a position at or before the boundary.
type Snapshot struct {
	At       int64
	State    json.RawMessage   // nil: never set
	Messages []json.RawMessage // in order
}

// RunState is a run record: Record as Begin gave it, and what the store knows.
type RunState struct {
	ID          string
	Record      json.RawMessage
	Status      RunStatus
	Started     int64           // position of its RUN_STARTED; 0 while queued
	Terminal    json.RawMessage // its terminal event; nil before the end
	Execution   string
	LatestOfExe string // the id of the execution's latest run
}

// RunStatus is where a run stands.
type RunStatus string

const (
	RunQueued  RunStatus = "queued"
	RunActive  RunStatus = "active"
	RunEnded   RunStatus = "ended"
	RunStopped RunStatus = "stopped" // cancelled in the queue; its two events are logged when the queue is next released
)

// QueuedRun is an accepted input that waits.
type QueuedRun struct {
	ID     string
	Record json.RawMessage // as Begin.Record
	Size   int64           // bytes that the input and its record take in the store
	Input  json.RawMessage // as Begin.Input; with ReadQuery.Inputs
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

// Claim is the right to write for a run, until its lease ends or it is fenced.
type Claim struct {
	Thread        ThreadKey
	RunID         string
	Token         string
	DispatchEpoch int64
}

// ClaimRequest names a thread and the token that a successful claim will carry.
type ClaimRequest struct {
	Thread ThreadKey
	Token  string
	// RunID claims this waiting dispatch whatever stands before it and whenever
	// it is available, if the thread could be claimed at all. "": the next one.
	RunID string
}

// ClaimResult answers Claim.
type ClaimResult struct {
	Kind     ClaimKind
	Claim    Claim
	Attempts int // activations of this dispatch, this one included
	// Exhausted: this is one claim more than Begin.MaxAttempts. Bury it.
	Exhausted bool
	Input     json.RawMessage // ClaimQueued: Begin.Input
	Record    json.RawMessage // Begin.Record
}

// ClaimKind says what was claimed.
type ClaimKind int

const (
	ClaimNothing ClaimKind = iota
	ClaimQueued
	ClaimTakeover
	// ClaimExpired: nothing was claimed, but the open suspension's deadline has
	// passed. It is answered until the suspension is.
	ClaimExpired
)

// Activation starts a claimed dispatch.
type Activation struct {
	Claim     Claim
	Events    [][]byte
	Execution string
	Frozen    json.RawMessage
	Agent     string
}

// Batch is what one run adds, in order.
type Batch struct {
	Claim   Claim
	Number  int64 // 1, 2, 3, … within the claim (Begin and Activate count as 1)
	Expect  int64 // the log must end at this position
	Events  [][]byte
	Records []json.RawMessage // journal records
	// Closing is what Stop must log to end the run in order before the
	// terminal event: a JSON array of events. Nil: as before.
	Closing json.RawMessage
	End     *End
}

// End ends the run with the last of the batch's events.
type End struct {
	Kind EndKind
	// Suspension is kept and returned as it is; with EndSuspend. Interrupts and
	// ToolCalls are the ids it opens and the calls they are bound to.
	Suspension json.RawMessage
	Interrupts []string
	ToolCalls  []string
	// Reasons are the interrupts' distinct reasons, by which the inbox finds the
	// suspension.
	Reasons []string
	// Deadline is when the suspension wants a Claim if it is still open then,
	// in Unix ms; 0: never.
	Deadline int64
	// Snapshot replaces the stored one. Nil: it stays where it was.
	Snapshot *SnapshotUpdate
	// GiveBack, with EndFail: when nothing was journaled after the latest
	// decisions, their answers are forgotten and the suspension opens again.
	GiveBack bool
}

// SnapshotUpdate moves the stored snapshot to the end of the batch.
type SnapshotUpdate struct {
	State  json.RawMessage            // nil: unchanged
	Order  []string                   // all message ids; nil: unchanged
	Upsert map[string]json.RawMessage // by message id
	Remove []string
}

// EndKind says how a run ends.
type EndKind string

const (
	EndSuspend EndKind = "suspend" // the execution waits for answers; the queue is held
	EndFinish  EndKind = "finish"
	EndFail    EndKind = "fail"
	EndCancel  EndKind = "cancel"
)

// CommitResult answers Commit and Activate.
type CommitResult struct {
	Status CommitStatus
	End    Position // of the log, after the batch
	// Ready reports that the end released a queued dispatch: Claim it.
	Ready bool
	// GaveBack reports that End.GiveBack took effect.
	GaveBack bool
	// Paused reports that the thread is wished to pause, and that no worker has
	// taken the wish: see Mailbox.Pause.
	Paused bool
}

// CommitStatus is Commit's verdict.
type CommitStatus int

const (
	CommitOK       CommitStatus = iota
	CommitFenced                // stopped, claimed elsewhere, or ended: nothing was written
	CommitAhead                 // the store holds less than the writer wrote: it forgot. Nothing was written
	CommitMismatch              // the log ends elsewhere: nothing was written
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

// ExecutionView is a live execution.
type ExecutionView struct {
	ID      string
	Agent   string
	Frozen  json.RawMessage
	Began   time.Time
	Journal []json.RawMessage
	Started int64 // position of the RUN_STARTED of the claimed run
	Crashes int   // takeovers of the claimed run
}

// RangeResult is a page of the log.
type RangeResult struct {
	Status RangeStatus
	Events [][]byte
	End    Position // of the log
}

// RangeStatus is Range's verdict.
type RangeStatus int

const (
	RangeOK RangeStatus = iota
	RangeGone
	RangeEpoch
)
