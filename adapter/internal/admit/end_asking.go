package admit

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/carry"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// CancelWaiting cancels the open interrupts of the thread if which chooses them. A
// suspension that cannot be read is left alone: the thread can be deleted.
func (a *Admission) CancelWaiting(ctx context.Context, key store.ThreadKey, by admission.Actor, which func(*store.Suspension) bool) (string, error) {
	for range node.MaxTries {
		view, err := a.Store.Read(ctx, key, store.ReadQuery{})
		if err != nil {
			return "", unlessCorrupted(err)
		}
		open, err := stored.Suspension(view.Suspension)
		if err != nil || open == nil || !which(open) {
			return "", unlessCorrupted(err)
		}
		stale, err := a.endOpen(ctx, key, view.Version, open, by)
		switch {
		case err != nil:
			return "", unlessCorrupted(err)
		case !stale:
			return open.RunID, nil
		}
	}
	return "", fmt.Errorf("%w: the thread changes too fast for its questions to be cancelled", store.ErrOutcomeUnknown)
}

func unlessCorrupted(err error) error {
	if errors.Is(err, store.ErrCorrupted) {
		return nil
	}
	return err
}

// endOpen cancels what is open in a thread that still has the version. Nothing is cancelled
// when the journal cannot be read, as nothing is answered then.
func (a *Admission) endOpen(ctx context.Context, key store.ThreadKey, version int64, open *store.Suspension, by admission.Actor) (stale bool, err error) {
	label := "cancelled-" + uuid.NewString()
	var ids []string
	for _, it := range open.Items {
		ids = append(ids, it.ID)
	}
	j, err := Read(ctx, a.Node, key, &protocol.RunAgentInput{ThreadID: key.Thread, RunID: label}, ids...)
	if err != nil {
		return false, err
	}
	if j.View.Version != version {
		return true, nil
	}
	v, err := j.Withdraw(open)
	if err != nil {
		return false, err
	}
	if !a.Enter() {
		return false, errors.New("adapter: the server is shutting down: cancel again")
	}
	defer a.Running.End()
	a.Capacity.Occupy() // it calls no agent, and makes room
	defer a.Capacity.Release()
	admitted, stale, err := a.EndAsking(ctx, key, j, v, by)
	if err == nil && admitted.Refusal != nil {
		err = fmt.Errorf("adapter: the run that waits could not be ended: %s", admitted.Refusal.Message)
	}
	if err == nil && !stale {
		a.Log.Info("a run that waited for answers was cancelled", "thread", key.Thread, "label", open.Label, "through", string(by.From.Through))
	}
	return stale, err
}

// EndAsking begins the run that ends what asked, without a call of its agent unless the
// verdict lets it go on. It waits for the end of a run that ends at once.
func (a *Admission) EndAsking(ctx context.Context, key store.ThreadKey, j *judge.Judgement, v judge.Verdict, by admission.Actor) (admission.Admitted, bool, error) {
	open := v.Continues
	digest, err := judge.InputDigest(key, j.Input)
	if err != nil {
		return admission.Admitted{}, false, err
	}
	n := BeginBuilder{Judgement: j, Verdict: v, Thread: key, Digest: digest, User: by.User, from: by.From, redact: a.Options.Redact}
	record := store.RunRecord{Tenant: j.View.Tenant, CountsFor: carry.BeganBy(open, "")}
	if v.Ends() {
		record.Left = open.Refs()
	}
	b, run, err := n.Build(store.Begin{MaxAttempts: a.Options.MaxAttempts}, record)
	if err != nil {
		return admission.Admitted{}, false, err
	}
	run.Holding = carry.HoldingOfRecord(record, b.RunID)
	if v.Ends() {
		run.Over = make(chan struct{})
	}
	admitted, stale, err := a.Begin(ctx, b, run)
	if run.Over != nil && run.Launched {
		select {
		case <-run.Over:
		case <-ctx.Done():
		}
	}
	return admitted, stale, err
}
