package store

import (
	"context"
	"encoding/json"
	"time"
)

// Worker is what carrying a run needs.
type Worker interface {
	// Claim takes the thread's next activation. An active dispatch whose lease has expired
	// comes first (ClaimTakeover; ClaimQueued again when it was never activated). The head
	// of the queue comes next, if no run is active and no interrupt is open (ClaimQueued).
	// Otherwise the claim answers ClaimExpired or ClaimNothing. A claim raises the
	// dispatch's attempts, which are counted anew when the run has recorded something since
	// the claim before. Sent again with the same token it answers the same claim.
	Claim(ctx context.Context, c ClaimRequest) (ClaimResult, error)
	// Activate makes a dispatch claimed from the queue the active run: it creates the
	// execution and appends RUN_STARTED. Fenced like Commit; its events are
	// commit number 1 of the claim.
	Activate(ctx context.Context, a Activation) (CommitResult, error)
	// Journal returns the live execution and its journal for a claim, or
	// ErrClaimLost.
	Journal(ctx context.Context, c Claim) (*ExecutionView, error)
	// Commit appends one batch of one run, in order, fenced by the claim.
	// Batches of one claim are numbered from 1 and sent one at a time; the
	// batch numbered as the last one stored is recognised as a retry. When the
	// outcome is known the slices of the batch are the caller's again; the bytes
	// of its events never are, because readers get the same.
	Commit(ctx context.Context, b Batch) (CommitResult, error)
	// Renew extends the claim's lease to now + lease. False: the claim is lost.
	Renew(ctx context.Context, c Claim) (bool, error)
	// TakePause makes the wish the claim's: its worker suspends the run, and
	// nobody takes the wish back any more. Nil: there is none, or the
	// claim is lost. Another claim of the run finds the wish as it was set. The answer has
	// the wish's Note.
	TakePause(ctx context.Context, c Claim) (*Wish, error)
}

// Sender is a Worker that also takes batches for which nobody waits.
type Sender interface {
	// Send is Commit of a batch of events and entries alone. It calls answered with the
	// outcome, once and from another goroutine. answered must not block: other batches wait for
	// it. A batch that has not gone when ctx is done does not go. False: nothing was sent,
	// answered is not called, and Commit may take the batch.
	Send(ctx context.Context, b Batch, answered func(CommitResult, error)) bool
}

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
	// RunID claims this queued dispatch whatever stands before it and whenever
	// it is available, if the thread could be claimed at all. "": the next one.
	RunID string
	// Entry is what Work has delivered: when the thread does not want what it stands
	// for any more, it is taken off. "": nothing was delivered.
	Entry string
	// Agents are those whose runs are wanted; a thread whose next run is another's
	// answers ClaimNothing. Nil: whosever.
	Agents []string
	// Spare leaves a run that a worker has claimed to that worker, though its lease
	// is over.
	Spare bool
}

// ClaimResult answers Claim.
type ClaimResult struct {
	Kind     ClaimKind
	Claim    Claim
	Attempts int // activations of this dispatch since its run last recorded something, this one included
	// Exhausted: this is one claim more than Begin.MaxAttempts. Bury it.
	Exhausted bool
	Input     json.RawMessage // ClaimQueued: Enqueue.Input
	Record    json.RawMessage // Begin.Record
	Headers   json.RawMessage // Begin.Headers
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

// Activation asks for a claimed dispatch to become the active run.
type Activation struct {
	Claim     Claim
	Events    [][]byte
	Execution string
	Frozen    json.RawMessage
	Agent     string
	User      string // whose input it is; "": not known
}

// Batch is what one run adds, in order.
type Batch struct {
	Claim   Claim
	Number  int64 // 1, 2, 3, … within the claim (Begin and Activate count as 1)
	Expect  int64 // the log must end at this position
	Events  [][]byte
	Entries []json.RawMessage // journal entries
	// Bookkeeping says that the entries tell of nothing that the execution did:
	// they are no progress of it. Not with an End.
	Bookkeeping bool
	// Closing is what Stop must log to end the run in order before the
	// terminal event: a JSON array of events. Nil: as before.
	Closing json.RawMessage
	// Checkpoint moves the stored snapshot to where the log ends. It is alone in its
	// batch, which decides nothing: the thread keeps its version.
	Checkpoint *RunCheckpoint
	// Join takes inputs out of the thread's queue in the same step: CommitGone if one of
	// them waits no more. Not with an End, a Checkpoint, Bookkeeping or Closing.
	Join *Join
	End  *End
}

// Join is the inputs that a run takes out of its thread's queue, because they are
// in what it commits with them. Without any it only looks whether Joins is still true.
type Join struct{ Inputs []JoinedInput }

// JoinedInput is one of them. Its own run ends without having begun: its events are logged
// as those of one that was cancelled in the queue are, and are owed its sender alike.
type JoinedInput struct {
	RunID    string
	Finished []byte // its RUN_FINISHED, in the place of Enqueue.Cancelled's
}

// RunCheckpoint moves the stored snapshot while a run goes on, so that neither its log nor
// what is read of it grows as long as it does.
type RunCheckpoint struct {
	Snapshot SnapshotUpdate // with Open, and with Frozen if the execution's input refers to the thread
	// Undo is kept with the execution until it asks or ends, and Journal returns it: what
	// going on with it elsewhere takes beside the snapshot.
	Undo json.RawMessage
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
	// Quiet, with EndSuspend: nobody is asked. The suspension is in no inbox, and no notice
	// tells of it.
	Quiet bool
	// Summaries are what NoticeOpened shows of the interrupts.
	Summaries []InterruptSummary
	// Deadline is when the suspension wants a Claim if it is still open then,
	// in Unix ms; 0: never.
	Deadline int64
	// Expires, with EndSuspend, is when all of its interrupts have expired, in Unix ms; 0:
	// never. The inbox counts by it.
	Expires int64
	// Snapshot replaces the stored one. Nil: it stays where it was.
	Snapshot *SnapshotUpdate
	// Tells, with Snapshot, says that the batch's last event but one tells the snapshot's
	// messages. The store need not keep it: it may make it from the snapshot for who
	// reads it. When the snapshot has moved on it takes the log up to there for trimmed.
	Tells *SnapshotTold
	// Summary is what the run has done, as Dispatch.Summary returns it; nil: nothing.
	Summary json.RawMessage
	// GiveBack, with EndFail: when nothing but bookkeeping was journaled after the
	// latest decisions, their answers and what was journaled since are forgotten,
	// and the suspension opens again.
	GiveBack bool
	// Over, with GiveBack, lets it go over entries that are no bookkeeping: so many stand
	// behind the decisions, bookkeeping among them, and all others are starts of steps that
	// had no effect. If there is another number of them, Over counts for nothing.
	Over int
	// Code, with GiveBack, is that of the run's error, which NoticeReopened tells.
	Code string
}

// SnapshotUpdate moves the stored snapshot to the end of the batch.
type SnapshotUpdate struct {
	State json.RawMessage // nil: unchanged
	// Order are all message ids, in order; nil: as they are, but for those that Drop
	// takes off the end and Append puts behind the rest, none of which is there
	// already. Either Order is given or what changes in it.
	Order  []string
	Drop   int
	Append []string
	// Producers are those of messages of Order or Append, by their ids; of one that is not
	// named nothing is known.
	Producers map[string]Producer
	Upsert    map[string]json.RawMessage // by message id
	Remove    []string
	// Frozen is kept with the snapshot as it is: what the execution that goes on after it
	// was given, in terms of its messages. Nil: as before. A snapshot that moves while
	// there is an execution that may go on needs it.
	Frozen json.RawMessage
	// Open is the run that is under way at the snapshot, and what it has open: a JSON
	// array of events. Nil: none is.
	Open json.RawMessage
}

// SnapshotTold says how an event tells a snapshot: in its first bytes, Head of them, the
// snapshot's messages with a comma between each two, and its last bytes.
type SnapshotTold struct{ Head, Tail int }

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
	// taken the wish: see Control.Pause.
	Paused bool
	// Joins reports that an input waits, or did, that came with Enqueue.Joins.
	Joins bool
}

// CommitStatus is Commit's verdict.
type CommitStatus int

const (
	CommitOK       CommitStatus = iota
	CommitFenced                // stopped, claimed elsewhere, or ended: nothing was written
	CommitAhead                 // the store holds less than the writer wrote: it forgot. Nothing was written
	CommitMismatch              // the log ends elsewhere: nothing was written
	CommitGone                  // one of Batch.Join's inputs waits no more: nothing was written, and the number stays free
)

// ExecutionView is a live execution.
type ExecutionView struct {
	ID         string
	Agent      string
	Frozen     json.RawMessage
	Began      time.Time
	Journal    []json.RawMessage
	Undo       json.RawMessage // RunCheckpoint.Undo of the latest since the execution last asked; nil: none
	RunStarted int64           // position of the RUN_STARTED of the claimed run
	Crashes    int             // takeovers of the claimed run since its last entry
	// Active is for how long the claimed run has been active, through whatever claims;
	// 0 where the release that began it did not say.
	Active time.Duration
}
