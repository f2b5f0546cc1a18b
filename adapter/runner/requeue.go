package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Requeue goes on with a dead letter in a new run: from its journal when it had
// begun, else from its input. It is refused while the thread is busy or waits
// for answers (CodeThreadBusy, CodePending), when the dead letter was requeued
// already or the thread has begun another execution since (CodeGone), and when
// its agent is not known here (CodeInvalidInput).
func (ds *dispatches) Requeue(ctx context.Context, key store.ThreadKey, id string) (Admitted, error) {
	if !ds.enter() {
		return refused(judge.Refuse(adapter.CodeServerDraining, "the server is shutting down: try again", nil)), nil
	}
	defer ds.running.end()
	if !ds.capacity.reserve() {
		return refused(ds.admission.noPlace()), nil
	}
	defer ds.capacity.release()
	give, refusal, err := ds.admission.turns.take(ctx, key)
	if err != nil || refusal != nil {
		return Admitted{Disposition: Refused, Refusal: refusal}, err
	}
	defer give()
	for lost := (losses{}); ; {
		letter, err := ds.store.Dispatch(ctx, key, id)
		if err != nil {
			return Admitted{}, err
		}
		if letter == nil || letter.State != store.DispatchDeadLetter || letter.RequeuedAs != "" {
			return refused(judge.Refuse(adapter.CodeGone, "the thread has no such dead letter, or the dead letter was requeued already", nil)), nil
		}
		admitted, stale, err := ds.requeue(ctx, key, letter)
		if errors.Is(err, store.ErrCorrupted) {
			return refused(ds.backoff.unreadable(key, err)), nil
		}
		if err != nil || !stale {
			return admitted, err
		}
		if !lost.again(ctx) {
			return refused(judge.Refuse(adapter.CodeThreadBusy, "the thread changes too fast: try again", nil)), nil
		}
	}
}

func (ds *dispatches) requeue(ctx context.Context, key store.ThreadKey, letter *store.Dispatch) (Admitted, bool, error) {
	old, err := stored.Record(&store.RunState{Record: letter.Record})
	if err != nil {
		return Admitted{}, false, err
	}
	if letter.Input != nil && ds.options.Agents[old.Agent] == nil {
		return refused(judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("this server does not know the agent %q: requeue the dead letter at one that does", old.Agent), nil)), false, nil
	}
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: "requeued-" + uuid.NewString(), ParentRunID: old.ParentRunID}
	if letter.Input != nil {
		var queued store.QueuedInput
		if err := stored.Decode(letter.Input, &queued, "the input of a dead letter"); err != nil {
			return Admitted{}, false, err
		}
		label := input.RunID
		if err := stored.Decode(queued.Input, input, "the input of a dead letter"); err != nil {
			return Admitted{}, false, err
		}
		input.RunID = label
	}
	// Going back in the log takes all of it.
	j, err := judge.Read(ctx, ds.store, nil, &ds.schemas, key, input)
	if err != nil {
		return Admitted{}, false, err
	}
	switch {
	case j.View.Suspension != nil:
		return refused(judge.Refuse(adapter.CodePending, "the thread waits for answers: requeue the dead letter after them", nil)), false, nil
	case j.View.Active != nil || len(j.View.Queue) > 0:
		return refused(judge.Refuse(adapter.CodeThreadBusy, "a run is active or waits: requeue the dead letter after it", nil)), false, nil
	}
	digest, err := judge.InputDigest(key, input)
	if err != nil {
		return Admitted{}, false, err
	}
	n := beginBuilder{Judgement: j, thread: key, digest: digest, agent: old.Agent, user: old.User, letter: letter}
	if letter.Input != nil {
		n.Verdict = j.Accepted()
	}
	b, run, err := n.build(store.Begin{MaxAttempts: letter.MaxAttempts, Priority: &letter.Priority, Dedupe: letter.Dedupe},
		store.RunRecord{Execution: old.Execution, Tenant: old.Tenant, CountsFor: old.CountsFor})
	if err != nil {
		return Admitted{}, false, err
	}
	run.holding = holdingOfRecord(old, b.RunID)
	return ds.admission.begin(ctx, b, run)
}
