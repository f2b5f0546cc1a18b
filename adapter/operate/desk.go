// Package operate is what operators and the people in front of agents ask for beside runs. All
// of it is methods of a Desk, which each runner.Runner is: call runs.Inbox(ctx, query) on what
// runner.New returned. These are the methods:
//
//   - Questions: Inbox, CountInbox, Open, LedTo, Review, Assign, Answer, KeepDraft, DropDraft,
//     ListedArguments, AnswerLogin, OpenEvent, SendEvent.
//   - Threads: Threads, Thread, ThreadInfos, Whose, SetTitle, Messages, Branches, Payload,
//     ReadPayload, CreateThread, UpdateThread, DeleteThread, Inject.
//   - Threads below others: Trees, TreeThread, OneInTree, Below, Placed, Described, DeleteTree,
//     FinishDeletes.
//   - Runs: Runs, FindRuns, FindRun, CountDispatches, DeadLetters, Requeue, Purge, Cancel,
//     CancelRun, CancelWaiting, StopAll, StopBelow, Pause, Unpause.
//   - Records: Decisions, ForgetDecisions, Notices, Quotas.
//
// A Desk checks no permission but runner.Options.SeparateDuties: who may see and do what is for
// its caller to decide. `go doc operate.Desk.Inbox` tells of a method, and the example of the
// package lists an inbox and answers it. A call that asks several parts of a store may return
// what it has, with an error that wraps store.ErrPartial.
package operate

import (
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/calls"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/node"
)

// Desk answers operators. Each runner.Runner has one.
type Desk struct {
	*stops
	*threads
	*trees
	*inbox
	*dispatches
	*records
}

// New is for package runner alone.
func New(n *node.Node, a *admit.Admission, c *admit.Control, capacity *carry.Capacity, b *carry.Backoff, q *carry.Quotas, called *calls.Calls) *Desk {
	list := &threads{n, a, b}
	return &Desk{
		stops: &stops{n, c, a}, threads: list, trees: &trees{n, list, q, called}, inbox: &inbox{n, a, list, b},
		dispatches: &dispatches{n, a, capacity, b}, records: &records{n},
	}
}
