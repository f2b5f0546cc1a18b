package store

import (
	"context"
	"time"
)

// Sweep is what nodes do again and again, each for all: nobody else need be alive.
type Sweep interface {
	// Work delivers threads that want a Claim: queued dispatches that are ready, leases
	// that have expired, and suspensions past their deadline. Threads that one caller was
	// given no other is, until q.Idle has passed or the thread wants a claim anew. A claim,
	// and nothing else, takes a thread off what is delivered. At most q.Limit; those that
	// cannot be claimed, however many, hide no other for long. Some, beside an error that
	// wraps ErrPartial.
	Work(ctx context.Context, q WorkQuery) ([]Work, error)
	// Await is Work for what nobody has been given yet, and waits for it: one of those who
	// wait is given what comes. It returns nothing when nothing has come for a while. Work
	// that it returns when ctx ends is the caller's all the same. If it fails with
	// ErrCannotAwait, a DeliverWork tells of what comes, and Work finds it.
	Await(ctx context.Context, q WorkQuery) ([]Work, error)
	// Return makes what the caller was given, and leaves to others, free to be delivered
	// again, to whoever asks next. Work that it does not reach is free when q.Idle has
	// passed.
	Return(ctx context.Context, work []Work) error
	// Postpone says anew from when on the open suspension with the interrupt wants a Claim.
	// False: the interrupt is not open.
	Postpone(ctx context.Context, key ThreadKey, interrupt string, until time.Time) (bool, error)
	// WorkStats counts what waits for a claim, by agent, of the agents that are named.
	// Beside an error that wraps ErrPartial, what the parts that answered have.
	WorkStats(ctx context.Context, agents []string) ([]WorkStats, error)
	// Retire trims logs, run records, archives and terminal dispatches that are
	// past their retention, a bounded number a call. More: there is more to do,
	// beside an error too: what fails is left out.
	Retire(ctx context.Context) (more bool, err error)
}

// WorkQuery says what work a node takes.
type WorkQuery struct {
	Agents []string // of whose runs, and of no others
	Limit  int
	// Near asks for no more than what is new beside this thread, which costs least: a
	// Delivery has told of it. The zero value: for all there is, which is also when what
	// has come due is noticed.
	Near ThreadKey
	// Idle is after how long what was delivered and not claimed is delivered again, to
	// whoever asks; 0: after a lease; negative: at once.
	Idle time.Duration
	// Orphaned delivers as well, about once a minute, what has waited for so long for a
	// node that carries runs of another agent; 0: never.
	Orphaned time.Duration
	// Backlog says that there is some that no Await is given, as far as is known: it is
	// looked for now.
	Backlog bool
}

// Work is a thread that wants a Claim.
type Work struct {
	Thread ThreadKey
	Entry  string // what was delivered: see ClaimRequest
	Agent  string // whose run it is; "" also where that is not known
	Orphan bool   // it was delivered because of WorkQuery.Orphaned
}

// WorkStats is what waits for the workers of an agent.
type WorkStats struct {
	Agent   string
	Waiting int64         // threads that want a claim
	Pending int64         // of them, those that were delivered to a node, which has not claimed them yet
	Oldest  time.Duration // for how long the one has waited that has waited longest
}

// Lag is how many wait that no node has been given.
func (s WorkStats) Lag() int64 { return s.Waiting - s.Pending }
