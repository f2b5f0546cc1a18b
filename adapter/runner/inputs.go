package runner

import (
	"context"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
)

// Submit judges an input and, when it may run, begins or queues its run, which
// then goes on whatever becomes of ctx. A refusal is an answer and changes
// nothing. An error means that the store did not answer: the same input may be
// sent again.
func (r *Runner) Submit(ctx context.Context, in admission.Input) (admission.Admitted, error) {
	return r.admission.Submit(ctx, in)
}

// CancelLeft stops one run by its server-made id, label being the client's runId for
// it, because the client that asked for it has left. It does not while anybody else
// watches the thread: here or, up to a minute after the last of them has gone, on
// another node. Nor does it while the run waits in the queue.
// behind: only if an input waits behind it that has come no longer ago than this; 0:
// whatever waits.
func (r *Runner) CancelLeft(ctx context.Context, key store.ThreadKey, id, label string, behind time.Duration) (admission.Cancelled, error) {
	return r.control.CancelLeft(ctx, key, id, label, behind)
}

// OnCancelled sets the one function that is told of inputs that were cancelled in the queue.
// Threads that nobody follows here are not heard of.
func (r *Runner) OnCancelled(f admission.CancelledInQueue) { r.control.OnCancelled(f) }
