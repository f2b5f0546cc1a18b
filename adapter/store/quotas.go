package store

import (
	"context"
	"time"
)

// Quotas is how much owners have at once, through whichever nodes: users, and tenants.
// It counts for those who bound; a thread's decisions do not depend on it. Holdings that a
// process has not given back when it ends lapse.
type Quotas interface {
	// Take counts what an input takes of its owners, unless that is too much. Sent
	// again it counts another input, and nothing else twice.
	Take(ctx context.Context, t Take) (Taken, error)
	// Keep counts runs for another HoldFor, whatever the limits, and so those that
	// another node has taken.
	Keep(ctx context.Context, runs []Holding) error
	// Give counts runs no more; those that do not count are no error. Threads count until
	// they are deleted or retired, and those that were never begun a minute at least.
	Give(ctx context.Context, back []Holding) error
	// Usage returns what an owner has, as Take counts it.
	Usage(ctx context.Context, o Owner) (Usage, error)
}

// HoldFor is for how long a run counts after it was taken or kept.
const HoldFor = 3 * time.Minute

// Owner is whom something counts for. The zero value is nobody, who has no limits.
type Owner struct {
	Tenant bool
	Name   string
}

// Holding is a run that counts for its owners.
type Holding struct {
	User, Tenant Owner
	RunID        string
}

// Take is what an input takes. A negative limit is none.
type Take struct {
	User, Tenant Owner
	RunID        string
	Runs         int // at once, of the user
	TenantRuns   int // at once, of the tenant
	Thread       ThreadKey
	Makes        bool // the thread is made, which begins no run: RunID is ""
	Threads      int  // that the user has begun, this one included if it is unused
	Inputs       int  // a minute, of the user
	Burst        int  // of them, how many may come at once
}

// Taken answers Take.
type Taken struct {
	Over Over
	Wait time.Duration // OverInputs: until another is taken
	// ThreadsFull: the user has as many threads as may be, and this is none of them.
	ThreadsFull bool
	// Owner is the user as ThreadView.Owner has it.
	Owner string
}

// Over is what is used up. Then the input has taken nothing.
type Over int

const (
	OverNothing    Over = iota
	OverInputs          // of this minute
	OverRuns            // of the user
	OverTenantRuns      // of the tenant
)

// Usage is what an owner has.
type Usage struct {
	Runs    int
	Threads int
}
