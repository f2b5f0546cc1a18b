package store

import (
	"context"
	"encoding/json"
	"time"
)

// Dispatches is what looking at dispatches takes. A dispatch is one activation of a run
// in its thread's queue, and has the run's server-made id. It is made by Begin with
// Enqueue, taken by Claim, activated by Activate, and acknowledged by Commit with End.
type Dispatches interface {
	// Dispatch returns one dispatch of the thread; nil when there is none.
	Dispatch(ctx context.Context, key ThreadKey, id string) (*Dispatch, error)
	// Dispatches lists dispatches of the thread: those not terminal in the order
	// of claiming, then terminal ones, latest first.
	Dispatches(ctx context.Context, key ThreadKey, q DispatchQuery) ([]Dispatch, error)
	// Purge forgets the thread's dispatches and runs that ended at least an age ago, dead
	// letters too, and returns how many. An input of such a run that is sent again is a new
	// one. The latest run stays, and so do those of an execution that is under way or waits.
	Purge(ctx context.Context, key ThreadKey, age time.Duration) (purged int, err error)
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
	DispatchAcked      DispatchState = "acked"       // its run was carried to an end by its worker, or its input has joined another
	DispatchCancelled  DispatchState = "cancelled"   // in the queue
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
	Priority    uint8 // 0 first, 255 last
	Dedupe      string
	Available   time.Time // zero: at once
	Attempts    int       // claims since the run last recorded something, without those handed back
	MaxAttempts int
	Error       string          // of the last Nack; why it was buried, stopped or superseded. At most 1 KiB is kept
	ClaimedBy   string          // the node that carries it, or carried it last; "": none has
	Takeovers   int             // how often a worker continued its run in place of another one
	LeaseUntil  time.Time       // with DispatchClaimed only
	Activated   bool            // its run's RUN_STARTED is logged
	Outcome     json.RawMessage // its run's terminal event; nil before the end
	// ContinuedAs is the run that continued it, if it is a dead letter or has been answered;
	// "": none has. Waits: the thread waits for answers to what it has asked.
	ContinuedAs string
	Waits       bool
	// Answered is what became of what it has asked, once a run has continued it and nothing was
	// resolved: DecisionExpired if some of it expired, else DecisionCancelled.
	Answered DecisionStatus
	// StoppedBy is who had it stopped, as Input.User; "": nobody who is known. ReplacedBy is the run
	// for which it was stopped; "": none.
	StoppedBy  string
	ReplacedBy string
	Created    time.Time
	Updated    time.Time
	Completed  time.Time       // when it became terminal
	Record     json.RawMessage // Begin.Record
	// Input is Enqueue.Input, of a run that was not activated, and of a dead letter
	// that was never activated: what requeueing it takes.
	Input json.RawMessage
	// Summary is End.Summary; nil: none, or the run did not end by its worker.
	Summary json.RawMessage
}

// DispatchQuery filters Dispatches.
type DispatchQuery struct {
	States []DispatchState // nil: all
	Limit  int             // 0: 100
	Offset int
}

// DeadLetterPage is a page of dead letters.
type DeadLetterPage struct {
	Letters []Dispatch
	Next    string // the cursor of the next page; "": there is none
}
