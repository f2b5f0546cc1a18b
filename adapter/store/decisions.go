package store

import (
	"context"
	"encoding/json"
	"time"
)

// Decisions is the record of what was decided: written by the commit that decides,
// never changed, and kept for its own time, whatever becomes of the run and of its thread.
type Decisions interface {
	// Decisions pages through the record, the latest first.
	Decisions(ctx context.Context, q DecisionQuery) (DecisionPage, error)
	// Refused counts an answer to these interrupts of the thread that was refused. It
	// counts nothing for those that are not open.
	Refused(ctx context.Context, key ThreadKey, interrupts []string) error
	// ForgetDecisions takes those of a thread out of the record, whether or not there
	// still is the thread.
	ForgetDecisions(ctx context.Context, key ThreadKey) error
}

// DecisionStatus is what was decided.
type DecisionStatus string

const (
	DecisionResolved  DecisionStatus = "resolved"
	DecisionCancelled DecisionStatus = "cancelled"
	DecisionExpired   DecisionStatus = "expired" // nobody answered in time
)

// Decided is one decision, as a Begin that answers brings it.
type Decided struct {
	Interrupt string
	Status    DecisionStatus
	User      string // who decided; "": nobody did, or nobody knows
	Tool      string // the tool that it is about; "": none
	// Body is the rest, which the store keeps as it is: what was asked, the answer,
	// through what it came.
	Body json.RawMessage
}

// Decision is an entry of the record.
type Decision struct {
	Decided
	ID      string    // orders the decisions of a thread
	At      time.Time // by the store's clock
	Asked   time.Time // when the interrupt was opened
	Thread  ThreadKey
	Tenant  string
	Agent   string // that asked; "": the default one, or not known
	RunID   string // the run that the answer began
	Refused int    // answers that were refused before it
}

// DecisionQuery asks for a page of the record. A filter that is zero lets all pass.
type DecisionQuery struct {
	Tenant     string
	AllTenants bool   // instead of Tenant
	Namespace  string // of the thread
	Thread     *ThreadKey
	User, Tool string
	Agent      string // that asked
	Status     DecisionStatus
	From, To   time.Time // From ≤ At < To
	Cursor     string    // a page's Next, of the same query; ErrBadCursor for any other
	Limit      int       // 0: 50. A page may have fewer and a Next all the same
}

// DecisionPage answers DecisionQuery.
type DecisionPage struct {
	Decisions []Decision
	Next      string // "": there are no more
}
