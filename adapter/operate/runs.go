package operate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// dispatches shows the runs of threads, and goes on with dead letters.
type dispatches struct {
	*node.Node
	admission *admit.Admission
	capacity  *carry.Capacity
	backoff   *carry.Backoff
}

// RunResult is what a run came to; "": it has not ended.
type RunResult string

const (
	ResultSuccess   RunResult = "success"
	ResultInterrupt RunResult = "interrupt" // it ended with a question: see store.Dispatch.Waits
	ResultCancelled RunResult = "cancelled"
	ResultError     RunResult = "error"
)

// RunResults are all that there are.
var RunResults = []RunResult{ResultSuccess, ResultInterrupt, ResultCancelled, ResultError}

// RunInfo is a run as operators see it: its dispatch, and what its record says.
type RunInfo struct {
	store.Dispatch
	Label     string // the client's runId
	Execution string
	Agent     string // "" : the default agent, or that of the execution it continues
	// ParentRunID is the client's name for the run that this one came from; "": none.
	ParentRunID string
	Origin      store.RunOrigin // "": it is not known
	// Summary is known once the run's worker has ended it.
	Summary store.RunSummary
	// MessageID is of the last message that its input brought; "": it brought none.
	MessageID string
	// Asked is the first sentence of the last user message that its input brought, or that it
	// answers anew, cut; "": there is none.
	Asked string
	Anew  string // the id of the message that it answers anew; "": none
	User  string // whose input it was, as Input.User; "": not known
	// BegunBy is whose input began the execution that it continues, if that is not User; "": it
	// is, or it is not known.
	BegunBy string
	Trace   string // the id of the trace of its input; "": it has none
	Result  RunResult
	// Usage is what the agent has reported where the run ended.
	Usage []protocol.TokenUsage
	// Title is its thread's. FindRuns tells it, of all threads; FindRun does not.
	Title string
}

func runInfo(d store.Dispatch) (RunInfo, error) {
	record, err := stored.Record(&store.RunState{ID: d.ID, Record: d.Record})
	info := RunInfo{Dispatch: d, Label: record.Label, Execution: record.Execution, Agent: record.Agent,
		ParentRunID: record.ParentRunID, Origin: store.RunOrigin(record.Origin),
		Asked: record.Asked, Anew: record.Anew, User: record.User, BegunBy: record.CountsFor, Trace: record.Trace}
	if n := len(record.Messages); n > 0 {
		info.MessageID = record.Messages[n-1]
	}
	// Usage and a summary that cannot be read are left out: a list of runs is not to end there.
	var told struct {
		Type    protocol.EventType
		Code    string
		Outcome struct{ Type protocol.OutcomeType }
		Usage   []protocol.TokenUsage
	}
	if json.Unmarshal(d.Outcome, &told) == nil {
		info.Usage = told.Usage
		info.Result = resultOf(told.Type, told.Code, told.Outcome.Type)
	}
	var summary store.RunSummary
	if json.Unmarshal(d.Summary, &summary) == nil {
		info.Summary = summary
	}
	return info, err
}

// resultOf reads a terminal event. A run that was stopped ends with an outcome of its own, or
// with an error of that code for clients that know no such outcome.
func resultOf(event protocol.EventType, code string, outcome protocol.OutcomeType) RunResult {
	switch {
	case outcome == protocol.OutcomeCancelled, event == protocol.TypeRunError && code == string(ResultCancelled):
		return ResultCancelled
	case outcome == protocol.OutcomeInterrupt:
		return ResultInterrupt
	case event == protocol.TypeRunError:
		return ResultError
	case event == protocol.TypeRunFinished:
		return ResultSuccess
	}
	return ""
}

func runInfos(dispatches []store.Dispatch) ([]RunInfo, error) {
	runs := make([]RunInfo, len(dispatches))
	for i, d := range dispatches {
		var err error
		if runs[i], err = runInfo(d); err != nil {
			return nil, err
		}
	}
	return runs, nil
}

// Runs lists the runs of a thread: those that wait or are active in the order of
// claiming, then the others, latest first.
func (ds *dispatches) Runs(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]RunInfo, error) {
	dispatches, err := ds.Store.Dispatches(ctx, key, q)
	if err != nil {
		return nil, err
	}
	return runInfos(dispatches)
}

// FindRun returns one run of a thread by its server-made id; nil when there is
// none.
func (ds *dispatches) FindRun(ctx context.Context, key store.ThreadKey, id string) (*RunInfo, error) {
	d, err := ds.Store.Dispatch(ctx, key, id)
	if err != nil || d == nil {
		return nil, err
	}
	info, err := runInfo(*d)
	return &info, err
}

// DeadLetters pages through a tenant's dead letters, oldest first, and returns
// the cursor of the next page, "" at the end. Errors are as Inbox's.
func (ds *dispatches) DeadLetters(ctx context.Context, q store.PageQuery) ([]RunInfo, string, error) {
	page, partial := ds.Store.DeadLetters(ctx, q)
	if partial != nil && !errors.Is(partial, store.ErrPartial) {
		return nil, "", partial
	}
	runs, err := runInfos(page.Letters)
	return runs, page.Next, cmp.Or(err, partial)
}

// CountDispatches counts the dispatches of a tenant's threads by state. Errors are as
// Inbox's.
func (ds *dispatches) CountDispatches(ctx context.Context, tenant string) (map[store.DispatchState]int64, error) {
	return ds.Store.CountTenant(ctx, tenant)
}

// Purge forgets runs of a thread: see store.Dispatches.
func (ds *dispatches) Purge(ctx context.Context, key store.ThreadKey, age time.Duration) (purged int, err error) {
	return ds.Store.Purge(ctx, key, age)
}
