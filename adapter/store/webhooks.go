package store

import (
	"context"
	"time"
)

// Webhooks keeps what is owed to targets: for each of them the notices that it wants and
// has not got. A notice that is owed once stays so until it was sent or is dead, whatever
// becomes of the notices themselves.
//
// A target is known by its name. It is owed the notices of a part of the store from the
// first take of it on that reaches that part.
type Webhooks interface {
	// TakeWebhooks returns what is to be sent now, held for the caller for t.Hold: then it
	// is anybody's again. Some, beside an error that wraps ErrPartial.
	TakeWebhooks(ctx context.Context, t WebhookTake) (WebhooksTaken, error)
	// SettleWebhook says what came of one that was taken. Only that it was sent still
	// counts when its hold was over and somebody else has taken it.
	SettleWebhook(ctx context.Context, target string, r WebhookResult) error

	// CountWebhooks counts what a target is owed.
	CountWebhooks(ctx context.Context, target string) (WebhookCounts, error)
	// DeadWebhooks pages through those of a target that were given up, the latest first.
	// Some, beside an error that wraps ErrPartial: what is missing is on no later page.
	DeadWebhooks(ctx context.Context, q DeadWebhookQuery) (DeadWebhookPage, error)
	// ResendWebhook lets a dead one be sent again, as if it had not been tried, and reports
	// whether it waits for that now. Tenant as in DeadWebhookQuery.
	ResendWebhook(ctx context.Context, target, tenant, id string) (bool, error)

	// UseTargets says that targets are in use, and returns the state of all by name.
	UseTargets(ctx context.Context, names []string) (map[string]TargetState, error)
	// TargetGone records that the target wants no more, as it was configured then.
	TargetGone(ctx context.Context, name, configuration string) error
	// ReviveTarget takes that back.
	ReviveTarget(ctx context.Context, name string) error
	// ForgetTarget ends what a target is owed, unless it was used since it was in that
	// state.
	ForgetTarget(ctx context.Context, name string, was TargetState) error
}

// WebhookTake asks for what a target is to be sent.
type WebhookTake struct {
	Target string
	Kinds  []NoticeKind // empty: all
	Tenant string       // "": of all
	// Agents are those whose notices are wanted, "default" for the one without a name; empty:
	// all. NoticeThreadGone is about no agent, and wanted in any case.
	Agents []string
	// FromStart lets a target that is new begin with the oldest notice that is kept, and
	// not with the next one.
	FromStart bool
	Limit     int
	Hold      time.Duration
}

// WebhooksTaken answers WebhookTake.
type WebhooksTaken struct {
	Webhooks []Webhook
	// Next is how long nothing else is due; 0: there is more already, negative: nothing
	// waits.
	Next time.Duration
}

// Webhook is a notice that a target is owed.
type Webhook struct {
	Notice Notice
	Hold   string    // proves that it was taken
	Taken  time.Time // by the store's clock
	Tries  WebhookTries
}

// WebhookTries is what came of a webhook so far.
type WebhookTries struct {
	Count int
	First time.Time // of the first that failed, by the store's clock
	Last  time.Time
	Error string // of the last
}

// WebhookResult is what came of one try.
type WebhookResult struct {
	ID    string // of the notice
	Hold  string
	Kind  WebhookResultKind
	Tries WebhookTries  // but where it was sent
	Delay time.Duration // WebhookAgain: until the next try
}

// WebhookResultKind says what is to become of a webhook.
type WebhookResultKind int

const (
	WebhookSent  WebhookResultKind = iota // it is done with
	WebhookAgain                          // it is tried again
	WebhookDead                           // it is given up
)

// WebhookCounts is how much a target is owed.
type WebhookCounts struct {
	Waiting int // to be sent, those under way included
	Failed  int // of them, those of which a try has failed
	Dead    int
	// Most is how many may wait. What becomes true at once comes together, even if the last of it is
	// more than that. Further ones stay among the notices, for as long as those are kept.
	Most int
}

// DeadWebhookQuery asks for dead webhooks of a target.
type DeadWebhookQuery struct {
	Target string
	Tenant string // whose notices; "": all
	Cursor string // a page's Next; ErrBadCursor for any other
	Limit  int    // 0: 50. A page may have fewer and a Next all the same
}

// DeadWebhookPage answers DeadWebhookQuery.
type DeadWebhookPage struct {
	Dead []DeadWebhook
	Next string // "": there are no more
}

// DeadWebhook is a webhook that was given up.
type DeadWebhook struct {
	Notice Notice
	Died   time.Time
	Tries  WebhookTries
}

// TargetState is what is known of a target on all nodes.
type TargetState struct {
	Used time.Time // when a node last said so
	Idle time.Duration
	// Gone is the configuration with which the target has said that it wants no more; "":
	// it has not.
	Gone   string
	GoneAt time.Time
}
