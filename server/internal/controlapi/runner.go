package controlapi

import (
	"context"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Runner is what the control API asks of an adapter.Runner: a part for each of the
// groups of operations.
type Runner interface {
	Threads
	Runs
	Inbox
	Payloads
	Trees
	// Quotas returns what a user and a tenant have of what they may have.
	Quotas(ctx context.Context, user, tenant string) (adapter.Quotas, error)
}

// Threads are the threads of a runner, and what is done to one as a whole.
type Threads interface {
	Threads(ctx context.Context, q store.ThreadQuery) ([]store.ThreadInfo, string, error)
	Thread(ctx context.Context, key store.ThreadKey) (*adapter.Thread, error)
	Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (*store.MessagePage, error)
	Branches(ctx context.Context, key store.ThreadKey) ([]adapter.Branch, error)
	SetTitle(ctx context.Context, key store.ThreadKey, title string) (bool, error)
	Inject(ctx context.Context, in adapter.Injection) (adapter.Admitted, error)
	StopAll(ctx context.Context, key store.ThreadKey, reason string) (adapter.AllStopped, error)
	Pause(ctx context.Context, key store.ThreadKey, o adapter.PauseOptions) (adapter.PauseState, error)
	Unpause(ctx context.Context, key store.ThreadKey, tenant, user, label string, from adapter.Origin, headers map[string]string) (bool, error)
}

// Runs are the runs of a runner and their dispatches.
type Runs interface {
	Runs(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]adapter.RunInfo, error)
	FindRuns(ctx context.Context, q adapter.RunQuery) ([]adapter.RunInfo, string, error)
	FindRun(ctx context.Context, key store.ThreadKey, id string) (*adapter.RunInfo, error)
	CancelRun(ctx context.Context, key store.ThreadKey, id, reason string) (adapter.Cancelled, error)
	Requeue(ctx context.Context, key store.ThreadKey, id string) (adapter.Admitted, error)
	DeadLetters(ctx context.Context, q store.PageQuery) ([]adapter.RunInfo, string, error)
	CountDispatches(ctx context.Context, tenant string) (map[store.DispatchState]int64, error)
}

// Inbox are the open interrupts of a runner's threads.
type Inbox interface {
	Inbox(ctx context.Context, q adapter.InboxQuery) ([]adapter.Suspended, string, error)
	Open(ctx context.Context, keys []store.ThreadKey) ([]adapter.Suspended, error)
	Answer(ctx context.Context, key store.ThreadKey, tenant, user, label string, entries []protocol.ResumeEntry, from adapter.Origin, headers map[string]string) (adapter.Answered, error)
	CountInbox(ctx context.Context, q store.InboxCount) (map[string]int64, error)
	Whose(ctx context.Context, key store.ThreadKey) (tenant string, used bool, err error)
	ListedArguments(call protocol.ToolFunction) (text string, redacted bool)
	DropDraft(ctx context.Context, key store.ThreadKey, user, interruptID string) (bool, error)
}
