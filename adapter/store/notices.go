package store

import (
	"context"
	"time"
)

// Notices tell what became true of threads, for whoever is not following them: programs
// of others, inboxes, webhooks. Each is written by the commit that makes it true, and
// kept by age and number.
type Notices interface {
	// Notices returns what lies behind the cursor, in order for each thread. Without
	// any it waits, for q.Wait at most. Some, beside an error that wraps ErrPartial.
	Notices(ctx context.Context, q NoticeQuery) (NoticePage, error)
}

// NoticeQuery asks for notices.
type NoticeQuery struct {
	// After is a NoticePage's Next. "": from From on. ErrBadCursor for any other.
	After string
	From  time.Time     // zero: from now on
	Limit int           // 0: 100
	Wait  time.Duration // 0: not at all
}

// NoticePage answers NoticeQuery.
type NoticePage struct {
	Notices []Notice
	// Next is behind all of them, and never "". The notices behind a cursor are found
	// by it at any node. Notices behind a cursor that are no longer kept are passed over.
	Next string
	// Missed says that notices behind the cursor may have been given up already.
	Missed bool
}

// Notice tells one fact. It has ids and reasons, and never a payload.
type Notice struct {
	ID         string // the same whenever it is read
	Kind       NoticeKind
	At         time.Time
	Thread     ThreadKey
	Tenant     string
	Owner      string // the user for whom the thread counts; "": nobody
	Agent      string
	RunID      string // the run that asked, answers, began or ended
	Label      string // the client's runId for it
	Interrupts []string
	Reasons    []string
	Summaries  []InterruptSummary // NoticeOpened: End.Summaries
	Deadline   time.Time          // of what is open; zero: none
	By         string             // the user who did it; "": nobody did, or nobody knows
	How        string             // NoticeRunEnded: finish, fail, cancel, suspend; NoticeDecided: resolved or cancelled; NoticeReopened: End.Code
}

// InterruptSummary is what a notice shows of an interrupt.
type InterruptSummary struct {
	ID        string `json:"interruptId"`
	Reason    string `json:"reason,omitempty"`
	Message   string `json:"message,omitempty"`
	Tool      string `json:"toolName,omitempty"`
	Arguments string `json:"arguments,omitempty" jsonschema:"The arguments of the tool call. They are JSON unless truncated is true."`
	Redacted  bool   `json:"redacted,omitempty" jsonschema:"Values were taken out of the arguments."`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"The summary is cut off: the question has more than it shows."`
}

// NoticeKind says what a Notice tells.
type NoticeKind string

const (
	NoticeOpened     NoticeKind = "interrupt.opened"
	NoticeDrafted    NoticeKind = "interrupt.drafted"   // answered in part, or a draft was taken back
	NoticeDecided    NoticeKind = "interrupt.decided"   // answered
	NoticeExpired    NoticeKind = "interrupt.expired"   // answered by the policy for its deadline
	NoticeCancelled  NoticeKind = "interrupt.cancelled" // withdrawn: a new message, an operator, a deletion
	NoticeReopened   NoticeKind = "interrupt.reopened"  // the decision was given back
	NoticeRunStarted NoticeKind = "run.started"
	NoticeRunEnded   NoticeKind = "run.ended"
	NoticeDead       NoticeKind = "dispatch.dead"
	NoticeThreadGone NoticeKind = "thread.deleted"
)
