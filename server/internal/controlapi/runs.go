package controlapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

type runJSON struct {
	ID          string          `json:"id" jsonschema:"The server's id of the run and of its dispatch."`
	Label       string          `json:"runId" jsonschema:"The client's id of the run."`
	ParentRunID string          `json:"parentRunId,omitempty" jsonschema:"The client's id of the run that this one came from."`
	MessageID   string          `json:"messageId,omitempty" jsonschema:"The id of the last message that the input brought."`
	Asked       string          `json:"asked,omitempty" jsonschema:"The first sentence of the user message that the input brought last, or that the run answers anew, cut."`
	AnswersAnew string          `json:"answersAnew,omitempty" jsonschema:"The id of the message that the run answers anew. An earlier run has brought it."`
	User        string          `json:"user,omitempty" jsonschema:"The user whose input the run carries out. It is left out if the server does not tell users apart."`
	BegunBy     string          `json:"begunBy,omitempty" jsonschema:"The user whose input began the execution that the run continues, if user is not the same."`
	ThreadID    string          `json:"threadId"`
	Title       string          `json:"title,omitempty" jsonschema:"The thread's title. The list of the runs of all threads has it, and a run that is read by its id."`
	Namespace   string          `json:"namespace"`
	Origin      string          `json:"origin,omitempty" jsonschema:"The origin of the run: user, resume, operator, expiry or child. It is left out if it is not known."`
	Execution   string          `json:"execution"`
	Agent       string          `json:"agent,omitempty"`
	State       string          `json:"state" jsonschema:"The state of the dispatch: queued, claimed, acked, cancelled, superseded or dead_letter."`
	Epoch       int64           `json:"epoch" jsonschema:"The dispatch epoch in which the run was queued."`
	Priority    uint8           `json:"priority"`
	Dedupe      string          `json:"dedupe,omitempty"`
	Available   time.Time       `json:"availableAt,omitzero"`
	Attempts    int             `json:"attempts"`
	MaxAttempts int             `json:"maxAttempts"`
	Error       string          `json:"error,omitempty" jsonschema:"The error of the last attempt, or the reason of the stop. Callers with the scope admin receive the error in full."`
	StoppedBy   string          `json:"stoppedBy,omitempty" jsonschema:"The user who stopped the run. It is left out if nobody did, or if the server does not tell users apart."`
	ReplacedBy  string          `json:"replacedBy,omitempty" jsonschema:"The server's id of the run for which this one was stopped."`
	ClaimedBy   string          `json:"claimedBy,omitempty" jsonschema:"The id of the node that carries the run, or carried it last."`
	Takeovers   int             `json:"takeovers,omitempty" jsonschema:"The number of times that a node continued the run in place of another one, which was lost or drained."`
	LeaseUntil  time.Time       `json:"leaseUntil,omitzero"`
	Activated   bool            `json:"started" jsonschema:"The log has the run's RUN_STARTED."`
	Outcome     json.RawMessage `json:"outcome,omitempty" jsonschema:"The run's last event."`
	Result      string          `json:"result,omitempty" jsonschema:"The kind of the outcome: success, interrupt, cancelled or error."`
	Waits       bool            `json:"waits,omitempty" jsonschema:"The thread waits for answers to what the run has asked."`
	ContinuedAs string          `json:"continuedAs,omitempty" jsonschema:"The server's id of the run that continued this one: that has its answers, or is a dead letter's requeued run."`
	Answered    string          `json:"answered,omitempty" jsonschema:"The outcome of the questions that the run has asked, after another run continued it: expired or cancelled. It is left out if one of them was answered."`
	TraceID     string          `json:"traceId,omitempty" jsonschema:"The id of the trace that the run's input belongs to."`
	Steps       []ranStepJSON   `json:"steps,omitempty" jsonschema:"The steps that the run executed. They are known after its worker has ended it."`
	MoreSteps   int             `json:"moreSteps,omitempty" jsonschema:"The number of further steps, whose names are not listed."`
	Wrote       *wroteJSON      `json:"wrote,omitempty" jsonschema:"The messages that the run added to those of its input. They are known after its worker has ended it."`
	Usage       []usageJSON     `json:"usage,omitempty" jsonschema:"The usage of models, as the agent reported it at the end of the run."`
	Created     time.Time       `json:"createdAt"`
	Updated     time.Time       `json:"updatedAt"`
	Completed   time.Time       `json:"completedAt,omitzero"`
}

type ranStepJSON struct {
	Name   string    `json:"name"`
	Count  int       `json:"count" jsonschema:"The number of times that the step was recorded."`
	Failed int       `json:"failed,omitempty" jsonschema:"The number of those that ended in an error."`
	First  time.Time `json:"firstAt,omitzero" jsonschema:"The time of the first record. It is left out if a lost worker made it."`
	Last   time.Time `json:"lastAt,omitzero"`
	Took   int64     `json:"tookMs,omitempty" jsonschema:"The time in milliseconds that these executions of the step took together, without those of a lost worker."`
}

type wroteJSON struct {
	Count int    `json:"count" jsonschema:"The number of messages since the run's last checkpoint, or since its beginning."`
	First string `json:"firstId" jsonschema:"The id of the first one."`
	Last  string `json:"lastId" jsonschema:"The id of the last one."`
	Text  string `json:"text,omitempty" jsonschema:"The beginning of the last text of the assistant. A run that ended with an interrupt has none."`
}

type usageJSON struct {
	Provider              string `json:"provider,omitempty"`
	Model                 string `json:"model,omitempty"`
	InputTokens           *int64 `json:"inputTokens,omitempty"`
	OutputTokens          *int64 `json:"outputTokens,omitempty"`
	TotalTokens           *int64 `json:"totalTokens,omitempty"`
	ReasoningTokens       *int64 `json:"reasoningTokens,omitempty"`
	CachedInputTokens     *int64 `json:"cachedInputTokens,omitempty"`
	CacheWriteInputTokens *int64 `json:"cacheWriteInputTokens,omitempty"`
}

// runOf is a run as the caller may see it. Why an attempt failed is for whoever runs
// the server; why it was stopped, somebody said who stopped it.
func (c *call) runOf(r operate.RunInfo) runJSON {
	if r.Error != "" && r.State != store.DispatchCancelled && r.State != store.DispatchSuperseded && !c.caller.Identity.May(identity.ScopeAdmin) {
		r.Error = "the last attempt failed"
	}
	var steps []ranStepJSON
	for _, s := range r.Summary.Steps {
		steps = append(steps, ranStepJSON{s.Name, s.Count, s.Failed, timeOf(s.First), timeOf(s.Last), s.Took})
	}
	var usage []usageJSON
	for _, u := range r.Usage {
		usage = append(usage, usageJSON{u.Provider, u.Model, u.InputTokens, u.OutputTokens, u.TotalTokens, u.ReasoningTokens, u.CachedInputTokens, u.CacheWriteInputTokens})
	}
	var wrote *wroteJSON
	if did := r.Summary; did.Wrote > 0 {
		wrote = &wroteJSON{did.Wrote, cmp.Or(did.First, did.Last), did.Last, did.Text}
	}
	return runJSON{
		Asked: r.Asked, AnswersAnew: r.Anew, User: notices.UserOf(r.User), BegunBy: notices.UserOf(r.BegunBy), StoppedBy: notices.UserOf(r.StoppedBy), ReplacedBy: r.ReplacedBy, Answered: string(r.Answered), TraceID: r.Trace,
		Takeovers: r.Takeovers, Result: string(r.Result), Waits: r.Waits, Wrote: wrote,
		Origin: string(r.Origin), Steps: steps, MoreSteps: r.Summary.More, Usage: usage,
		ID: r.ID, Label: r.Label, ParentRunID: r.ParentRunID, MessageID: r.MessageID, ThreadID: r.Thread.Thread, Title: r.Title, Namespace: r.Thread.Namespace, Execution: r.Execution, Agent: r.Agent,
		State: string(r.State), Epoch: r.Epoch, Priority: r.Priority, Dedupe: r.Dedupe, Available: r.Available.UTC(),
		Attempts: r.Attempts, MaxAttempts: r.MaxAttempts, Error: r.Error, ClaimedBy: r.ClaimedBy, LeaseUntil: r.LeaseUntil.UTC(),
		Activated: r.Activated, Outcome: r.Outcome, ContinuedAs: r.ContinuedAs,
		Created: r.Created.UTC(), Updated: r.Updated.UTC(), Completed: r.Completed.UTC(),
	}
}

type stoppedJSON struct {
	Stopped bool `json:"stopped" jsonschema:"The value is false if the run had ended already."`

	Below *stoppedBelowJSON `json:"below,omitempty" jsonschema:"The state of the threads below the run's thread. It is left out if the store could not read it."`
}

type purgeJSON struct {
	OlderThan string `json:"olderThan,omitempty" jsonschema:"The time since the end of a run that is forgotten, such as 24h or 90m. The default is 0s: all runs that have ended."`
}

type purgedJSON struct {
	Purged int `json:"purged" jsonschema:"The number of runs that the server has forgotten."`
}

// countsJSON are dispatches by state.
type countsJSON map[string]int64

var dispatchStates = []store.DispatchState{
	store.DispatchQueued, store.DispatchClaimed, store.DispatchAcked,
	store.DispatchCancelled, store.DispatchSuperseded, store.DispatchDeadLetter,
}

func runOperations() []operation {
	return []operation{
		{method: "GET", path: "/threads/{thread}/runs", id: "listRuns", lists: true, summary: "List the runs of a thread: the waiting and active ones in the order of the queue, then the others, latest first",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: listOf[runJSON]{}, serve: (*call).listRuns,
			query: append([]parameter{{"offset", "The number of runs to leave out. It does not go with a cursor, nor with another filter than state."}}, runParameters...)},
		{method: "GET", path: "/runs", id: "findRuns", lists: true, summary: "List the runs of the caller's namespace, the latest begun first",
			notes: "The order holds among the runs of 100 threads, those with the latest inputs. The runs of the next 100 threads follow. With thread the order is that of a thread's runs.",
			scope: identity.ScopeRead, status: 200, answer: listOf[runJSON]{}, serve: (*call).findRuns,
			query: append([]parameter{
				{"thread", "The id of the thread whose runs are listed. It does not go with title, from or to."},
				{"title", "A part of the title of the threads whose runs are listed, in upper or lower case."},
				{"from", "The earliest time at which a listed run came to be, in RFC 3339."},
				{"to", "The time before which the listed runs came to be, in RFC 3339."},
			}, runParameters...)},
		{method: "GET", path: "/threads/{thread}/runs/{run}", id: "getRun", summary: "Read a run by the server's id",
			scope: identity.ScopeRead, beyond: identity.ScopeAdmin, status: 200, answer: runJSON{}, serve: (*call).getRun},
		{method: "POST", path: "/threads/{thread}/runs/{run}/cancel", id: "cancelRun", summary: "Stop a run that is active or waits, or dismiss a dead letter",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, query: stopParameters, body: reasonJSON{}, status: 200, answer: stoppedJSON{}, serve: (*call).cancelRun},
		{method: "POST", path: "/threads/{thread}/runs/{run}/requeue", id: "requeueRun", summary: "Run a dead letter again, in a new run",
			scope: identity.ScopeAdmin, beyond: identity.ScopeAdmin, admits: true, status: 202, answer: admittedJSON{}, serve: (*call).requeueRun},
		{method: "POST", path: "/threads/{thread}/runs/purge", id: "purgeRuns", summary: "Forget runs that have ended, and dead letters, before keep-runs does",
			notes: "The latest run stays, and so do the runs of an execution that is under way or waits. If the input of a forgotten run is sent again, the server takes it for a new one. Messages, and decisions on record, stay.",
			scope: identity.ScopeRun, beyond: identity.ScopeAdmin, body: purgeJSON{}, status: 200, answer: purgedJSON{}, serve: (*call).purgeRuns},
		{method: "GET", path: "/dispatches", id: "listDispatches", lists: true, summary: "List the tenant's dead letters, oldest first",
			scope: identity.ScopeAdmin, status: 200, answer: listOf[runJSON]{}, serve: (*call).listDeadLetters,
			query: append([]parameter{{"state", "The state of the dispatches. The only value is dead_letter, which is also the default."}}, pageParameters...)},
		{method: "GET", path: "/dispatches/counts", id: "countDispatches", summary: "Count the tenant's dispatches in each state",
			scope: identity.ScopeAdmin, status: 200, answer: countsJSON{}, serve: (*call).countDispatches},
	}
}

var runParameters = []parameter{
	{"state", "The states of the dispatches that are listed, separated by commas."},
	{"origin", "The origin of the runs that are listed: user, resume, operator, expiry or child."},
	{"result", "The kind of the outcome of the runs that are listed: success, interrupt, cancelled or error."},
	{"agent", "The agent of the runs that are listed."},
	{"runId", "The client's id of the runs that are listed."},
	{"parentRunId", "The client's id of the run that the listed runs came from."},
	{"id", "The beginning of the server's ids of the runs that are listed."},
	{"limit", "The number of items in a page, at most 200. The default is 50, or 100 for one thread. A page with a filter may have fewer items and still have a next one."},
	{"cursor", "The value of next in the previous page. The filters must be the same."},
}

// runQuery reads which runs are wanted.
func (c *call) runQuery() (q operate.RunQuery, err error) {
	if q.Limit, err = c.number("limit", maxPage); err != nil {
		return q, err
	}
	asked := c.r.URL.Query()
	q.Namespace = c.caller.Identity.Namespace
	q.Origin, q.Agent, q.Label, q.Parent = store.RunOrigin(asked.Get("origin")), asked.Get("agent"), asked.Get("runId"), asked.Get("parentRunId")
	q.IDPrefix, q.Cursor = asked.Get("id"), asked.Get("cursor")
	if q.Origin != "" && !slices.Contains(store.RunOrigins, q.Origin) {
		return q, badRequest("origin: " + strconv.Quote(string(q.Origin)) + " is none of user, resume, operator, expiry and child")
	}
	if q.Result = operate.RunResult(asked.Get("result")); q.Result != "" && !slices.Contains(operate.RunResults, q.Result) {
		return q, badRequest("result: " + strconv.Quote(string(q.Result)) + " is none of success, interrupt, cancelled and error")
	}
	for state := range strings.SplitSeq(asked.Get("state"), ",") {
		switch {
		case state == "":
		case !slices.Contains(dispatchStates, store.DispatchState(state)):
			return q, badRequest("state: " + strconv.Quote(state) + " is none of the states of a dispatch")
		default:
			q.States = append(q.States, store.DispatchState(state))
		}
	}
	return q, nil
}

func (c *call) listRuns() (any, error) {
	q, err := c.runQuery()
	if err != nil {
		return nil, err
	}
	offset, err := c.number("offset", 1_000_000)
	if err != nil {
		return nil, err
	}
	counts := c.r.URL.Query().Has("offset")
	if counts && (q.Cursor != "" || q.Origin != "" || q.Result != "" || q.Agent != "" || q.Label != "" || q.Parent != "" || q.IDPrefix != "") {
		return nil, badRequest("offset: not with a cursor, nor with another filter than state: leave it out and go on by next")
	}
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	if counts {
		runs, err := c.Runner.Runs(c.r.Context(), c.key, store.DispatchQuery{States: q.States, Limit: q.Limit, Offset: offset})
		return pageOf(runs, "", err, c.runOf)
	}
	q.Namespace, q.Thread, q.Limit = c.key.Namespace, c.key.Thread, cmp.Or(q.Limit, 100)
	runs, next, err := c.Runner.FindRuns(c.r.Context(), q)
	return pageOf(runs, next, err, c.runOf)
}

func (c *call) findRuns() (any, error) {
	q, err := c.runQuery()
	if err != nil {
		return nil, err
	}
	if q.Thread = c.r.URL.Query().Get("thread"); q.Thread != "" && !strictjson.IsName(q.Thread) {
		return nil, badRequest("thread: a thread id has " + strictjson.NameRule)
	}
	if q.From, q.To, err = times(c.r.URL.Query()); err != nil {
		return nil, err
	}
	if q.Title = c.r.URL.Query().Get("title"); q.Thread != "" && (q.Title != "" || !q.From.IsZero() || !q.To.IsZero()) {
		return nil, badRequest("thread: not with title, from or to")
	}
	runs, next, err := c.Runner.FindRuns(c.r.Context(), q)
	return pageOf(runs, next, err, c.runOf)
}

// run finds the path's run.
func (c *call) run() (*operate.RunInfo, error) {
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
	threads, err := c.Runner.ThreadInfos(c.r.Context(), []store.ThreadKey{c.key})
	if err != nil {
		return nil, err
	}
	if threads[0] != nil {
		info.Title = threads[0].Title
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
	stop, err := c.stopsBelow()
	if err != nil {
		return nil, err
	}
	stopped, err := c.Runner.CancelRun(c.r.Context(), c.key, info.ID, why.Reason, c.actor())
	if err != nil {
		return nil, err
	}
	answer := stoppedJSON{Stopped: stopped.Stopped}
	answer.Below, err = c.below(why.Reason, stop)
	return answer, err
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

func (c *call) purgeRuns() (any, error) {
	var asked purgeJSON
	if err := c.read(&asked); err != nil {
		return nil, err
	}
	age, err := time.ParseDuration(cmp.Or(asked.OlderThan, "0s"))
	if err != nil || age < 0 {
		return nil, badRequest("olderThan: " + strconv.Quote(asked.OlderThan) + " is no length of time: write 24h, for example")
	}
	if _, err := c.thread(); err != nil {
		return nil, err
	}
	purged, err := c.Runner.Purge(c.r.Context(), c.key, age)
	return purgedJSON{purged}, err
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
	counts, err := c.Runner.CountDispatches(c.r.Context(), c.caller.Identity.Tenant)
	all := countsJSON{}
	for _, state := range dispatchStates {
		all[string(state)] = counts[state]
	}
	return all, err
}

// newLabel names a run that nobody else named.
func newLabel(what string) string { return what + "-" + uuid.NewString() }

// timeOf is the time of a number of ms; zero for 0.
func timeOf(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
