package operate

import (
	"context"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
)

// stops ends runs, whatever they are about.
type stops struct {
	*node.Node
	control   *admit.Control
	admission *admit.Admission
}

// Cancel ends all runs under the label, the client's runId, that have not ended
// (ws.cancel): a run that is active, queued, or waits for answers. The open interrupts of a
// run that waits are cancelled on record, and its agent is not called again. An error means
// that the outcome is unknown; the call may be repeated.
func (ss *stops) Cancel(ctx context.Context, key store.ThreadKey, label string, by admission.Actor) (admission.Cancelled, error) {
	all, err := ss.control.EndRuns(ctx, key, label, by.User)
	if err != nil || all.Stopped {
		return all, err
	}
	waited, err := ss.admission.CancelWaiting(ctx, key, by, func(s *store.Suspension) bool { return s.Label == label })
	all.Stopped = waited != ""
	return all, err
}

// CancelRun ends one run by its server-made id, as Cancel does. A dead letter that was not
// requeued is dismissed: it is listed no more and cannot be requeued.
func (ss *stops) CancelRun(ctx context.Context, key store.ThreadKey, id, reason string, by admission.Actor) (admission.Cancelled, error) {
	one, err := ss.control.EndRun(ctx, key, id, reason, by.User)
	if err != nil || one.Stopped {
		return one, err
	}
	waited, err := ss.admission.CancelWaiting(ctx, key, by, func(s *store.Suspension) bool { return s.RunID == id })
	one.Stopped = waited != ""
	return one, err
}

// CancelWaiting ends the run of the thread that waits for answers, as Cancel does, and
// returns its server-made id; "": no run waits.
func (ss *stops) CancelWaiting(ctx context.Context, key store.ThreadKey, by admission.Actor) (string, error) {
	return ss.admission.CancelWaiting(ctx, key, by, func(*store.Suspension) bool { return true })
}

// StopAll ends everything on the thread: the active run and a run that waits for answers end
// cancelled, queued inputs are superseded, and no worker that held a claim before writes
// again. Stored data that cannot be read and is in the way is removed.
func (ss *stops) StopAll(ctx context.Context, key store.ThreadKey, reason string, by admission.Actor) (admission.AllStopped, error) {
	all, err := ss.control.EndAll(ctx, store.StopAll{Thread: key, Reason: reason, By: by.User})
	if err == nil {
		all.Waiting, err = ss.CancelWaiting(ctx, key, by)
	}
	return all, err
}
