package store

import (
	"context"
	"encoding/json"
	"time"
)

// Inbox is what answering open interrupts needs, across threads.
type Inbox interface {
	// Inbox pages through threads that have open interrupts, oldest suspension first. A
	// page costs the same however many there are. A page with Owner may have fewer than
	// Limit, or none, and a Next all the same.
	Inbox(ctx context.Context, q InboxQuery) (InboxPage, error)
	// CountInbox counts the threads with open interrupts of a tenant, or of all, for each
	// of the reasons, "" being any. It costs the same however many there are. Some, beside
	// an error that wraps ErrPartial.
	CountInbox(ctx context.Context, q InboxCount) (InboxTotals, error)
	// Drafts sets answers to some of the open interrupts, by interrupt id; a nil
	// value deletes one. They go when the suspension is answered. Version, when
	// not 0, must be the thread's, unless nothing changes; replacing a draft or
	// deleting one raises it. by is the user who does it; "": not known. It returns all drafts by then, or false when one of
	// the ids is not open or the version has moved: nothing was changed.
	Drafts(ctx context.Context, key ThreadKey, version int64, by string, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error)
	// Review notes that a user looks at a thread's open interrupts, for so long from now; 0: no
	// longer. It is a note and no lock, and changes nothing else. It ends by itself, and
	// with the suspension. MostReviewers users are noted of a thread, and no further one.
	// It returns the users that are noted by then, or false when nothing is open.
	Review(ctx context.Context, key ThreadKey, by string, length time.Duration) ([]string, bool, error)
	// Assign notes that a thread's open interrupts are a user's to answer, for so long from now,
	// and nobody else's any more; 0: they are not this user's. It is a note and no lock, as
	// Review's is. It returns false when nothing is open.
	Assign(ctx context.Context, key ThreadKey, to string, length time.Duration) (bool, error)
}

// MostReviewers is how many users are noted of a thread that look at its open interrupts.
const MostReviewers = 8

// InboxQuery asks for one page of an inbox. Limit, Cursor and what comes beside an
// ErrPartial are as in PageQuery.
type InboxQuery struct {
	Tenant     string
	AllTenants bool      // instead of Tenant
	Namespace  string    // instead of either: the threads of it, whose reasons are not told apart
	Owner      string    // Begin.User of the input that used the thread first; "": anybody's
	Reason     string    // of one of the open interrupts; "": any
	From, To   time.Time // From ≤ Since < To; zero: all
	Limit      int       // 0: 50
	Cursor     string
}

// InboxCount asks for numbers.
type InboxCount struct {
	Tenant     string
	AllTenants bool   // instead of Tenant
	Namespace  string // instead of either: the threads of it, for any reason only
	Reasons    []string
	At         time.Time // by when End.Expires has passed of what counts as expired; zero: nothing has
}

// InboxTotals are numbers of threads.
type InboxTotals struct {
	Waiting map[string]int64 // by reason, without those that have expired
	Expired int64            // of any reason
	Next    time.Time        // when the next of Waiting expires, with InboxCount.At; zero: none does
}

// InboxPage is a page of suspensions.
type InboxPage struct {
	Items []InboxItem
	Next  string
}

// InboxItem is one thread's open suspension.
type InboxItem struct {
	Thread     ThreadKey
	Tenant     string
	User       string // Begin.User of the input that used the thread first; "": not known
	Agent      string // of the execution that asks; "": the default one
	Version    int64
	Since      time.Time
	Title      string
	Suspension json.RawMessage // as End gave it
	Drafts     map[string]json.RawMessage
	Reviewers  []string // the users who look at it: see Review
	Assignee   string   // the user whose it is to answer: see Assign; "": nobody's
	Corrupted  bool     // the store cannot read what is stored of it
}

// Open says how much waits for people.
type Open struct {
	Threads int64     // with open interrupts
	Since   time.Time // of the oldest suspension; zero: there is none
}

// OpenQuestions looks at the inbox of all tenants. It costs the same however many there are.
func OpenQuestions(ctx context.Context, in Inbox) (Open, error) {
	counts, err := in.CountInbox(ctx, InboxCount{AllTenants: true, Reasons: []string{""}})
	if err != nil || counts.Waiting[""] == 0 {
		return Open{}, err
	}
	oldest, err := in.Inbox(ctx, InboxQuery{AllTenants: true, Limit: 1})
	if err != nil || len(oldest.Items) == 0 {
		return Open{}, err
	}
	return Open{Threads: counts.Waiting[""], Since: oldest.Items[0].Since}, nil
}
