package store

import (
	"context"
	"encoding/json"
	"time"
)

// Mailbox is what handling dispatches takes beyond admission and work. A
// dispatch is one activation of a run in its thread's queue, and has the run's
// server-made id. Enqueueing is Begin with Enqueue; acknowledging is Commit with
// End; recording a start is Activate; extending a lease is Renew.
type Mailbox interface {
	// Nack gives a claim back because the activation failed and may succeed
	// later: the dispatch is queued again, at the head of its thread, and waits
	// for n.Wait. A claim that was the last of its attempts becomes a dead letter
	// instead, as by Bury. A lost claim changes nothing (NackLost). Sent again
	// it answers as it did the first time.
	Nack(ctx context.Context, n Nack) (NackResult, error)
	// Bury makes a dead letter of a claimed dispatch, whatever attempts it has
	// left, and ends its run with n.Terminal. Its execution and journal stay
	// until the thread begins another execution, so that Requeue may go
	// on with them.
	Bury(ctx context.Context, n Nack) (NackResult, error)
	// Interrupt raises the thread's dispatch epoch and supersedes every dispatch
	// of it that is queued or claimed. See Interruption. An open suspension
	// stays open.
	Interrupt(ctx context.Context, i Interruption) (InterruptResult, error)
	// Pause sets the thread's wish that its active run suspends at its next step.
	// False: no run is active, and nothing is wished. An end clears the wish.
	Pause(ctx context.Context, key ThreadKey) (bool, error)
	// Unpause takes the wish back. False: there is none that could be. The request
	// names the call: sent again it answers as it did, unless a run has ended or
	// a wish was set since.
	Unpause(ctx context.Context, key ThreadKey, request string) (bool, error)
	// TakePause makes the wish the claim's: its worker suspends the run, and
	// nobody takes the wish back any more. False: there is none, or the claim is
	// lost. Another claim of the run finds the wish as it was set.
	TakePause(ctx context.Context, c Claim) (bool, error)
	// Dispatch returns one dispatch of the thread; nil when there is none.
	Dispatch(ctx context.Context, key ThreadKey, id string) (*Dispatch, error)
	// Dispatches lists dispatches of the thread: those not terminal in the order
	// of claiming, then terminal ones, latest first.
	Dispatches(ctx context.Context, key ThreadKey, q DispatchQuery) ([]Dispatch, error)
	// CountDispatches counts the dispatches of all threads by state. Terminal
	// ones count as long as they are retained. Beside an error that wraps
	// ErrPartial, those of the parts that answered.
	CountDispatches(ctx context.Context) (map[DispatchState]int64, error)
	// CountTenant is CountDispatches for the threads of one tenant.
	CountTenant(ctx context.Context, tenant string) (map[DispatchState]int64, error)
	// DeadLetters pages through the dead letters of a tenant, oldest first.
	DeadLetters(ctx context.Context, q PageQuery) (DeadLetterPage, error)
}

// DispatchState is where delivery of a dispatch stands, never what its run
// came to.
type DispatchState string

const (
	DispatchQueued     DispatchState = "queued"
	DispatchClaimed    DispatchState = "claimed"
	DispatchAcked      DispatchState = "acked"       // its run was carried to an end by its worker
	DispatchCancelled  DispatchState = "cancelled"   // stopped while it waited
	DispatchSuperseded DispatchState = "superseded"  // its claim was taken away on purpose, or a newer intent replaced it
	DispatchDeadLetter DispatchState = "dead_letter" // its attempts are used up, or it cannot succeed
)

// Terminal reports whether the state is final.
func (s DispatchState) Terminal() bool { return s != DispatchQueued && s != DispatchClaimed }

// Dispatch is one activation of a run.
type Dispatch struct {
	ID          string // the run's server-made id
	Thread      ThreadKey
	State       DispatchState
	Epoch       int64 // the thread's dispatch epoch when it was enqueued
	Priority    int   // 0 first, 255 last
	Dedupe      string
	Available   time.Time // zero: at once
	Attempts    int       // claims since the run last recorded something, without those handed back
	MaxAttempts int
	Error       string          // of the last Nack; why it was buried, stopped or superseded. At most 1 KiB is kept
	ClaimedBy   string          // node; with DispatchClaimed only
	LeaseUntil  time.Time       // with DispatchClaimed only
	Started     bool            // its run's RUN_STARTED is logged
	Outcome     json.RawMessage // its run's terminal event; nil before the end
	RequeuedAs  string          // a dead letter's: the dispatch that went on with it
	Created     time.Time
	Updated     time.Time
	Completed   time.Time       // when it became terminal
	Record      json.RawMessage // Begin.Record
	// Input is Enqueue.Input, of a run that has not started, and of a dead letter
	// that was never activated: what requeueing it takes.
	Input json.RawMessage
}

// DispatchQuery filters Dispatches.
type DispatchQuery struct {
	States []DispatchState // nil: all
	Limit  int             // 0: 100
	Offset int
}

// PageQuery asks for one page of an index. Where a part of the store does not
// answer, the page comes beside an error that wraps ErrPartial. Its Next is never
// empty then: it goes on with what is missing as soon as that answers, before what
// stands behind it, and fails while nothing else is left.
type PageQuery struct {
	Tenant string
	Reason string // Inbox only; "": any
	Limit  int    // 0: 50
	Cursor string // PageQuery's answer before; "": the first page
}

// DeadLetterPage is a page of dead letters.
type DeadLetterPage struct {
	Letters []Dispatch
	Next    string // the cursor of the next page; "": there is none
}

// Nack gives a claim back.
type Nack struct {
	Claim Claim
	Wait  time.Duration // how long it is not claimed unless by id; in milliseconds. 0, or less: at once
	Error string        // kept with the dispatch
	Free  bool          // of Nack: the attempt does not count, so that it is never the last
	// Terminal is the RUN_ERROR to log when the dispatch becomes a dead letter,
	// after what Batch.Closing said. A run that never started gets its
	// RUN_STARTED from Enqueue.Cancelled before it.
	Terminal []byte
	// GiveBack is End.GiveBack for a dispatch that becomes a dead letter.
	GiveBack bool
}

// NackResult answers Nack and Bury.
type NackResult struct {
	State    DispatchState // DispatchQueued or DispatchDeadLetter; or NackLost
	Ready    bool          // as CommitResult
	GaveBack bool
}

// NackLost is NackResult.State for a claim that is not held any more.
const NackLost DispatchState = ""

// Interruption asks for a thread to be interrupted.
type Interruption struct {
	Thread  ThreadKey
	Request string // names this call: sent again it interrupts nothing else
	// Active is the run that the caller has seen active, and Terminal the event
	// to end it with. When another is active by then nothing changes and the
	// answer is Stale. "": none was active. A run that was claimed and never
	// activated ends as if it had waited, with Enqueue.Cancelled.
	Active   string
	Terminal []byte
	Reason   string // kept with what it supersedes
	// Repair takes out of the thread first what cannot be read, and ends whichever
	// run is active with Terminal.
	Repair bool
}

// InterruptResult answers Interrupt.
type InterruptResult struct {
	Stale      bool
	Epoch      int64    // the thread's dispatch epoch, raised by one
	Superseded []string // the dispatches that were queued, in their order
	Active     string   // the dispatch that was claimed; "": none
	// Owed are the two events that the sender of each of Superseded is owed, in
	// the same order; nil for those already logged.
	Owed [][][]byte
}

// Index is what reading across threads takes.
type Index interface {
	// Inbox pages through the threads of a tenant that have open interrupts,
	// oldest suspension first. A page costs the same however many there are.
	Inbox(ctx context.Context, q PageQuery) (InboxPage, error)
	// Threads pages through the threads of a namespace, latest input first.
	Threads(ctx context.Context, namespace string, q PageQuery) (ThreadPage, error)
	// Drafts sets answers to some of the open interrupts, by interrupt id; a nil
	// value deletes one. They go when the suspension is answered. Version, when
	// not 0, must be the thread's, unless nothing changes; replacing a draft or
	// deleting one raises it. It returns all drafts by then, or false when one of
	// the ids is not open or the version has moved: nothing was changed.
	Drafts(ctx context.Context, key ThreadKey, version int64, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error)
	// SetTitle names the thread. At most 60 bytes are kept. False: the thread
	// was never used.
	SetTitle(ctx context.Context, key ThreadKey, title string) (bool, error)
	// Delete forgets the thread, unless a run is active, queued or suspended in
	// it: then false. Its log epoch is never used again.
	Delete(ctx context.Context, key ThreadKey) (bool, error)
	// Erase is Delete whatever goes on in the thread, and whether or not what is
	// stored of it can be read. Its worker is fenced.
	Erase(ctx context.Context, key ThreadKey) error
	// Retire trims logs, run records, archives and terminal dispatches that are
	// past their retention, a bounded number a call. More: there is more to do,
	// beside an error too: what fails is left out.
	Retire(ctx context.Context) (more bool, err error)
}

// InboxPage is a page of suspensions.
type InboxPage struct {
	Items []InboxItem
	Next  string
}

// InboxItem is one thread's open suspension.
type InboxItem struct {
	Thread     ThreadKey
	Version    int64
	Since      time.Time
	Title      string
	Suspension json.RawMessage // as End gave it
	Drafts     map[string]json.RawMessage
	Record     json.RawMessage // of the run that asked
	Corrupted  bool            // the store cannot read what is stored of it
}

// ThreadPage is a page of threads.
type ThreadPage struct {
	Threads []ThreadInfo
	Next    string
}

// ThreadInfo is what a list says of a thread.
type ThreadInfo struct {
	Thread  ThreadKey
	Title   string
	Updated time.Time // its latest input
	Active  bool
	Waiting bool // interrupts are open
	Queued  int
}
