package controlapi

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

type runJSON struct {
	ID          string          `json:"id" jsonschema:"the server's name of the run and of its dispatch"`
	Label       string          `json:"runId" jsonschema:"the client's"`
	ParentRunID string          `json:"parentRunId,omitempty" jsonschema:"the client's name for the run that this one came from"`
	MessageID   string          `json:"messageId,omitempty" jsonschema:"the last message that its input brought"`
	ThreadID    string          `json:"threadId"`
	Namespace   string          `json:"namespace"`
	Execution   string          `json:"execution"`
	Agent       string          `json:"agent,omitempty"`
	State       string          `json:"state" jsonschema:"of the dispatch: queued, claimed, acked, cancelled, superseded or dead_letter"`
	Epoch       int64           `json:"epoch" jsonschema:"the dispatch epoch in which it was enqueued"`
	Priority    int             `json:"priority"`
	Dedupe      string          `json:"dedupe,omitempty"`
	Available   time.Time       `json:"availableAt,omitzero"`
	Attempts    int             `json:"attempts"`
	MaxAttempts int             `json:"maxAttempts"`
	Error       string          `json:"error,omitempty" jsonschema:"of the last attempt, which is told in full to the scope admin, or why it was stopped"`
	ClaimedBy   string          `json:"claimedBy,omitempty" jsonschema:"the node that carries it"`
	LeaseUntil  time.Time       `json:"leaseUntil,omitzero"`
	Activated   bool            `json:"started" jsonschema:"its RUN_STARTED is logged"`
	Outcome     json.RawMessage `json:"outcome,omitempty" jsonschema:"its terminal event"`
	RequeuedAs  string          `json:"requeuedAs,omitempty"`
	Created     time.Time       `json:"createdAt"`
	Updated     time.Time       `json:"updatedAt"`
	Completed   time.Time       `json:"completedAt,omitzero"`
}

// runOf is a run as the caller may see it. Why an attempt failed is for whoever runs
// the server; why it was stopped, somebody said who stopped it.
func (c *call) runOf(r adapter.RunInfo) runJSON {
	if r.Error != "" && r.State != store.DispatchCancelled && r.State != store.DispatchSuperseded && !c.caller.May(identity.ScopeAdmin) {
		r.Error = "the last attempt failed"
	}
	return runJSON{
		ID: r.ID, Label: r.Label, ParentRunID: r.ParentRunID, MessageID: r.MessageID, ThreadID: r.Thread.Thread, Namespace: r.Thread.Namespace, Execution: r.Execution, Agent: r.Agent,
		State: string(r.State), Epoch: r.Epoch, Priority: r.Priority, Dedupe: r.Dedupe, Available: r.Available.UTC(),
		Attempts: r.Attempts, MaxAttempts: r.MaxAttempts, Error: r.Error, ClaimedBy: r.ClaimedBy, LeaseUntil: r.LeaseUntil.UTC(),
		Activated: r.Activated, Outcome: r.Outcome, RequeuedAs: r.RequeuedAs,
		Created: r.Created.UTC(), Updated: r.Updated.UTC(), Completed: r.Completed.UTC(),
	}
}

type stoppedJSON struct {
	Stopped bool `json:"stopped" jsonschema:"false: it had ended"`
}

// countsJSON are dispatches by state.
type countsJSON map[string]int64

var dispatchStates = []store.DispatchState{
	store.DispatchQueued, store.DispatchClaimed, store.DispatchAcked,
	store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter,
}

func runOperations() []operation {
	return []operation{
		{method: "GET", path: "/threads/{thread}/runs", id: "listRuns", lists: true, summary: "The runs of a thread: waiting and active ones as they will be claimed, then the others, latest first",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: listOf[runJSON]{}, serve: (*call).listRuns,
			query: []parameter{{"state", "only these states of dispatches, separated by commas"}, {"limit", "at most 200; 100 if left out"}, {"offset", "how many to leave out"}}},
		{method: "GET", path: "/threads/{thread}/runs/{run}", id: "getRun", summary: "One run, by the server's id",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: runJSON{}, serve: (*call).getRun},
		{method: "POST", path: "/threads/{thread}/runs/{run}/cancel", id: "cancelRun", summary: "Stop a run that is active or waits",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: reasonJSON{}, status: 200, answer: stoppedJSON{}, serve: (*call).cancelRun},
		{method: "POST", path: "/threads/{thread}/runs/{run}/requeue", id: "requeueRun", summary: "Go on with a dead letter in a new run",
			scope: identity.ScopeAdmin, beyond: identity.ScopeAdmin, admits: true, status: 202, answer: admittedJSON{}, serve: (*call).requeueRun},
		{method: "GET", path: "/dispatches", id: "listDispatches", lists: true, summary: "The tenant's dead letters, oldest first",
			scope: identity.ScopeAdmin, status: 200, answer: listOf[runJSON]{}, serve: (*call).listDeadLetters,
			query: append([]parameter{{"state", "dead_letter, which is also what is listed if it is left out"}}, pageParameters...)},
		{method: "GET", path: "/dispatches/counts", id: "countDispatches", summary: "How many dispatches the tenant has in each state",
			scope: identity.ScopeAdmin, status: 200, answer: countsJSON{}, serve: (*call).countDispatches},
	}
}

func (c *call) listRuns() (any, error) {
	limit, err := c.number("limit", maxPage)
	if err != nil {
		return nil, err
	}
	offset, err := c.number("offset", 1_000_000)
	if err != nil {
		return nil, err
	}
	q := store.DispatchQuery{Limit: limit, Offset: offset}
	for state := range strings.SplitSeq(c.r.URL.Query().Get("state"), ",") {
		switch {
		case state == "":
		case !slices.Contains(dispatchStates, store.DispatchState(state)):
			return nil, badRequest("state: " + strconv.Quote(state) + " is none of the states of a dispatch")
		default:
			q.States = append(q.States, store.DispatchState(state))
		}
	}
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	runs, err := c.Runner.Runs(c.r.Context(), c.key, q)
	return pageOf(runs, "", err, c.runOf)
}

// run finds the path's run.
func (c *call) run() (*adapter.RunInfo, error) {
	info, err := c.Runner.FindRun(c.r.Context(), c.key, c.r.PathValue("run"))
	if err == nil && info == nil {
		err = errNoRun
	}
	return info, err
}

func (c *call) getRun() (any, error) {
	info, err := c.run()
	if err != nil {
		return nil, err
	}
	return c.runOf(*info), nil
}

func (c *call) cancelRun() (any, error) {
	var why reasonJSON
	if err := c.read(&why); err != nil {
		return nil, err
	}
	info, err := c.run()
	if err != nil {
		return nil, err
	}
	stopped, err := c.Runner.CancelRun(c.r.Context(), c.key, info.ID, why.Reason)
	return stoppedJSON{stopped.Stopped}, err
}

func (c *call) requeueRun() (any, error) {
	info, err := c.run()
	if err != nil {
		return nil, err
	}
	admitted, err := c.Runner.Requeue(c.r.Context(), c.key, info.ID)
	if err == nil && admitted.Refusal == nil {
		if requeued, err := c.Runner.FindRun(c.r.Context(), c.key, admitted.RunID); err == nil && requeued != nil {
			return c.admitted(admitted, requeued.Label, nil)
		}
	}
	return c.admitted(admitted, "", err)
}

func (c *call) listDeadLetters() (any, error) {
	if state := c.r.URL.Query().Get("state"); state != "" && state != string(store.DispatchDeadLetter) {
		return nil, badRequest("state: only dead_letter is listed across threads")
	}
	q, err := c.page()
	if err != nil {
		return nil, err
	}
	letters, next, err := c.Runner.DeadLetters(c.r.Context(), q)
	return pageOf(letters, next, err, c.runOf)
}

func (c *call) countDispatches() (any, error) {
	counts, err := c.Runner.CountDispatches(c.r.Context(), c.caller.Tenant())
	all := countsJSON{}
	for _, state := range dispatchStates {
		all[string(state)] = counts[state]
	}
	return all, err
}

// newLabel names a run that nobody else named.
func newLabel(what string) string { return what + "-" + uuid.NewString() }
