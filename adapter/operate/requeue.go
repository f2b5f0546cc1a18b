package operate

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/carry"
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
func (ds *dispatches) Requeue(ctx context.Context, key store.ThreadKey, id string) (admission.Admitted, error) {
	if !ds.Enter() {
		return admit.Refused(judge.Refuse(adapter.CodeServerDraining, "the server is shutting down: try again", nil)), nil
	}
	defer ds.Running.End()
	if !ds.capacity.Reserve() {
		return admit.Refused(ds.admission.NoPlace()), nil
	}
	defer ds.capacity.Release()
	give, refusal, err := ds.admission.Turns.Take(ctx, key)
	if err != nil || refusal != nil {
		return admission.Admitted{Disposition: admission.Refused, Refusal: refusal}, err
	}
	defer give()
	for lost := (admit.Losses{}); ; {
		letter, err := ds.Store.Dispatch(ctx, key, id)
		if err != nil {
			return admission.Admitted{}, err
		}
		if letter == nil || letter.State != store.DispatchDeadLetter || letter.ContinuedAs != "" {
			return admit.Refused(judge.Refuse(adapter.CodeGone, "the thread has no such dead letter, or the dead letter was requeued already", nil)), nil
		}
		admitted, stale, err := ds.requeue(ctx, key, letter)
		if errors.Is(err, store.ErrCorrupted) {
			return admit.Refused(ds.backoff.Unreadable(key, err)), nil
		}
		if err != nil || !stale {
			return admitted, err
		}
		if !lost.Again(ctx) {
			return admit.Refused(judge.Refuse(adapter.CodeThreadBusy, "the thread changes too fast: try again", nil)), nil
		}
	}
}

func (ds *dispatches) requeue(ctx context.Context, key store.ThreadKey, letter *store.Dispatch) (admission.Admitted, bool, error) {
	old, err := stored.Record(&store.RunState{Record: letter.Record})
	if err != nil {
		return admission.Admitted{}, false, err
	}
	if letter.Input != nil && ds.Options.Agents[old.Agent] == nil {
		return admit.Refused(judge.Refuse(adapter.CodeInvalidInput, fmt.Sprintf("this server does not know the agent %q: requeue the dead letter at one that does", old.Agent), nil)), false, nil
	}
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: "requeued-" + uuid.NewString(), ParentRunID: old.ParentRunID}
	if letter.Input != nil {
		var queued store.QueuedInput
		if err := stored.Decode(letter.Input, &queued, "the input of a dead letter"); err != nil {
			return admission.Admitted{}, false, err
		}
		label := input.RunID
		if err := stored.Decode(queued.Input, input, "the input of a dead letter"); err != nil {
			return admission.Admitted{}, false, err
		}
		input.RunID = label
	}
	// Going back in the log takes all of it.
	j, err := judge.Read(ctx, ds.Store, nil, &ds.Schemas, key, input)
	if err != nil {
		return admission.Admitted{}, false, err
	}
	switch {
	case j.View.Suspension != nil:
		return admit.Refused(judge.Refuse(adapter.CodePending, "the thread waits for answers: requeue the dead letter after them", nil)), false, nil
	case j.View.Active != nil || len(j.View.Queue) > 0:
		return admit.Refused(judge.Refuse(adapter.CodeThreadBusy, "a run is active or waits: requeue the dead letter after it", nil)), false, nil
	}
	digest, err := judge.InputDigest(key, input)
	if err != nil {
		return admission.Admitted{}, false, err
	}
	n := admit.BeginBuilder{Judgement: j, Thread: key, Digest: digest, Agent: old.Agent, User: old.User, Letter: letter}
	if letter.Input != nil {
		n.Verdict = j.Accepted()
	}
	b, run, err := n.Build(store.Begin{MaxAttempts: letter.MaxAttempts, Priority: &letter.Priority, Dedupe: letter.Dedupe},
		store.RunRecord{Execution: old.Execution, Tenant: old.Tenant, Asked: old.Asked, Trace: old.Trace, CountsFor: old.CountsFor})
	if err != nil {
		return admission.Admitted{}, false, err
	}
	run.Holding = carry.HoldingOfRecord(old, b.RunID)
	return ds.admission.Begin(ctx, b, run)
}
