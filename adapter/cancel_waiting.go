package adapter

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Actor is who acts on a thread, and how the act has come. The decision record names it.
type Actor struct {
	User string // as Input.User; "": not known
	From Origin
}

// Cancel ends all runs under the label, the client's runId, that have not ended
// (ws.cancel): a run that is active, queued, or waits for answers. The open interrupts of a
// run that waits are cancelled on record, and its agent is not called again. An error means
// that the outcome is unknown; the call may be repeated.
func (r *Runner) Cancel(ctx context.Context, key store.ThreadKey, label string, by Actor) (Cancelled, error) {
	all, err := r.endRuns(ctx, key, label)
	if err != nil || all.Stopped {
		return all, err
	}
	waited, err := r.cancelWaiting(ctx, key, by, func(s *store.Suspension) bool { return s.Label == label })
	all.Stopped = waited != ""
	return all, err
}

// CancelRun ends one run by its server-made id, as Cancel does. A dead letter that was not
// requeued is dismissed: it is listed no more and cannot be requeued.
func (r *Runner) CancelRun(ctx context.Context, key store.ThreadKey, id, reason string, by Actor) (Cancelled, error) {
	one, err := r.endRun(ctx, key, id, reason)
	if err != nil || one.Stopped {
		return one, err
	}
	waited, err := r.cancelWaiting(ctx, key, by, func(s *store.Suspension) bool { return s.RunID == id })
	one.Stopped = waited != ""
	return one, err
}

// CancelWaiting ends the run of the thread that waits for answers, as Cancel does, and
// returns its server-made id; "": no run waits.
func (r *Runner) CancelWaiting(ctx context.Context, key store.ThreadKey, by Actor) (string, error) {
	return r.cancelWaiting(ctx, key, by, func(*store.Suspension) bool { return true })
}

// StopAll ends everything on the thread: the active run and a run that waits for answers end
// cancelled, queued inputs are superseded, and no worker that held a claim before writes
// again. Stored data that cannot be read and is in the way is removed.
func (r *Runner) StopAll(ctx context.Context, key store.ThreadKey, reason string, by Actor) (AllStopped, error) {
	all, err := r.endAll(ctx, key, reason)
	if err == nil {
		all.Waiting, err = r.CancelWaiting(ctx, key, by)
	}
	return all, err
}

// cancelWaiting cancels the open interrupts of the thread if which chooses them. A
// suspension that cannot be read is left alone: the thread can be deleted.
func (a *admission) cancelWaiting(ctx context.Context, key store.ThreadKey, by Actor, which func(*store.Suspension) bool) (string, error) {
	for range maxTries {
		view, err := a.store.Read(ctx, key, store.ReadQuery{})
		if err != nil {
			return "", err
		}
		open, err := stored.Suspension(view.Suspension)
		if errors.Is(err, store.ErrCorrupted) || err == nil && (open == nil || !which(open)) {
			return "", nil
		} else if err != nil {
			return "", err
		}
		stale, err := a.endOpen(ctx, key, view.Version, by)
		if err != nil || !stale {
			return open.RunID, err
		}
	}
	return "", fmt.Errorf("%w: the thread changes too fast for its questions to be cancelled", store.ErrOutcomeUnknown)
}

// endOpen cancels the open interrupts of a thread that still has the version.
func (a *admission) endOpen(ctx context.Context, key store.ThreadKey, version int64, by Actor) (stale bool, err error) {
	label := "cancelled-" + uuid.NewString()
	j, err := a.read(ctx, key, &protocol.RunAgentInput{ThreadID: key.Thread, RunID: label})
	if err != nil {
		return false, err
	}
	if j.View.Version != version {
		return true, nil
	}
	open, err := stored.Suspension(j.View.Suspension)
	if err != nil || open == nil {
		return err == nil, err
	}
	v, err := j.Withdraw(open)
	if err != nil {
		return false, err
	}
	placed := a.capacity.reserve()
	if placed {
		defer a.capacity.release()
	}
	admitted, stale, err := a.endAsking(ctx, key, j, v, by, !placed)
	if err == nil && admitted.Refusal != nil {
		err = fmt.Errorf("adapter: the run that waits could not be ended: %s", admitted.Refusal.Message)
	}
	if err == nil && !stale {
		a.log.Info("a run that waited for answers was cancelled", "thread", key.Thread, "label", open.Label, "through", string(by.From.Through))
	}
	return stale, err
}

// endAsking begins the run that ends what asked, without a call of its agent unless the
// verdict lets it go on. left: this node has no place for the run.
func (a *admission) endAsking(ctx context.Context, key store.ThreadKey, j *judge.Judgement, v judge.Verdict, by Actor, left bool) (Admitted, bool, error) {
	open := v.Continues
	digest, err := judge.InputDigest(key, j.Input)
	if err != nil {
		return Admitted{}, false, err
	}
	n := beginBuilder{Judgement: j, Verdict: v, thread: key, digest: digest, user: by.User, from: by.From, redact: a.options.Redact}
	record := store.RunRecord{Tenant: j.View.Tenant, CountsFor: beganBy(open, "")}
	if v.Ends() {
		record.Left = open.Refs()
	}
	b, run, err := n.build(store.Begin{MaxAttempts: a.options.MaxAttempts}, record)
	if err != nil {
		return Admitted{}, false, err
	}
	run.left = left && a.options.Mode != ModeBlocking
	run.holding = holdingOfRecord(record, b.RunID)
	return a.begin(ctx, b, run)
}
