package adapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// RunInfo is a run as operators see it: its dispatch, and what its record says.
type RunInfo struct {
	store.Dispatch
	Label     string // the client's runId
	Execution string
	Agent     string // "" : the default agent, or that of the execution it continues
}

func runInfo(d store.Dispatch) (RunInfo, error) {
	record, err := readRecord(&store.RunState{Record: d.Record})
	return RunInfo{Dispatch: d, Label: record.Label, Execution: record.Execution, Agent: record.Agent}, err
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
func (r *Runner) Runs(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]RunInfo, error) {
	dispatches, err := r.store.Dispatches(ctx, key, q)
	if err != nil {
		return nil, err
	}
	return runInfos(dispatches)
}

// FindRun returns one run of a thread by its server-made id; nil when there is
// none.
func (r *Runner) FindRun(ctx context.Context, key store.ThreadKey, id string) (*RunInfo, error) {
	d, err := r.store.Dispatch(ctx, key, id)
	if err != nil || d == nil {
		return nil, err
	}
	info, err := runInfo(*d)
	return &info, err
}

// DeadLetters pages through a tenant's dead letters, oldest first, and returns
// the cursor of the next page, "" at the end. Errors are as Inbox's.
func (r *Runner) DeadLetters(ctx context.Context, q store.PageQuery) ([]RunInfo, string, error) {
	page, partial := r.store.DeadLetters(ctx, q)
	if partial != nil && !errors.Is(partial, store.ErrPartial) {
		return nil, "", partial
	}
	runs, err := runInfos(page.Letters)
	return runs, page.Next, cmp.Or(err, partial)
}

// CountDispatches counts the dispatches of a tenant's threads by state. Errors are as
// Inbox's.
func (r *Runner) CountDispatches(ctx context.Context, tenant string) (map[store.DispatchState]int64, error) {
	return r.store.CountTenant(ctx, tenant)
}

// Requeue goes on with a dead letter in a new run: from its journal when it had
// begun, else from its input. It is refused while the thread is busy or waits
// for answers (CodeThreadBusy, CodePending), when the dead letter was requeued
// already or the thread has begun another execution since (CodeGone), and when
// its agent is not known here (CodeInvalidInput).
func (r *Runner) Requeue(ctx context.Context, key store.ThreadKey, id string) (Admitted, error) {
	if !r.enter() {
		return refused(refuse(CodeServerDraining, "the server is shutting down: try again", nil)), nil
	}
	defer r.running.end()
	if !r.reserve() {
		return refused(r.noPlace()), nil
	}
	defer r.unreserve()
	for range maxSubmitTries {
		letter, err := r.store.Dispatch(ctx, key, id)
		if err != nil {
			return Admitted{}, err
		}
		if letter == nil || letter.State != store.DispatchDeadLetter || letter.RequeuedAs != "" {
			return refused(refuse(CodeGone, "there is no such dead letter, or it was requeued already", nil)), nil
		}
		admitted, stale, err := r.requeue(ctx, key, letter)
		if errors.Is(err, store.ErrCorrupted) {
			return refused(r.unreadable(key, err)), nil
		}
		if err != nil || !stale {
			return admitted, err
		}
	}
	return refused(refuse(CodeThreadBusy, "the thread changes too fast: try again", nil)), nil
}

func (r *Runner) requeue(ctx context.Context, key store.ThreadKey, letter *store.Dispatch) (Admitted, bool, error) {
	old, err := readRecord(&store.RunState{Record: letter.Record})
	if err != nil {
		return Admitted{}, false, err
	}
	if letter.Input != nil && r.agents[old.Agent] == nil {
		return refused(refuse(CodeInvalidInput, fmt.Sprintf("this server does not know the agent %q: requeue the dead letter at one that does", old.Agent), nil)), false, nil
	}
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: "requeued-" + uuid.NewString()}
	if letter.Input != nil {
		var waiting queuedInput
		if err := readStored(letter.Input, &waiting, "the input of a dead letter"); err != nil {
			return Admitted{}, false, err
		}
		label := input.RunID
		if err := readStored(waiting.Input, input, "the input of a dead letter"); err != nil {
			return Admitted{}, false, err
		}
		input.RunID = label
	}
	j, err := r.read(ctx, key, input)
	if err != nil {
		return Admitted{}, false, err
	}
	switch {
	case j.view.Suspension != nil:
		return refused(refuse(CodePending, "the thread waits for answers: requeue the dead letter after them", nil)), false, nil
	case j.view.Active != nil || len(j.view.Queue) > 0:
		return refused(refuse(CodeThreadBusy, "a run is active or waits: requeue the dead letter after it", nil)), false, nil
	}
	if j.digest, err = inputDigest(key, input); err != nil {
		return Admitted{}, false, err
	}
	n := beginning{judgement: j, agent: old.Agent, letter: letter}
	if letter.Input != nil {
		n.fresh = j.freshMessages(j.heldMessages())
	}
	b, start, err := n.build(store.Begin{MaxAttempts: letter.MaxAttempts, Priority: letter.Priority, Dedupe: letter.Dedupe},
		runRecord{Execution: old.Execution})
	if err != nil {
		return Admitted{}, false, err
	}
	return r.begin(ctx, b, start)
}
