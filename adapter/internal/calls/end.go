package calls

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
)

// Waits implements execution.Calls.
func (c *Calls) Waits(ctx context.Context, namespace string, caller *store.Caller) (bool, error) {
	view, err := c.Store.Read(ctx, store.ThreadKey{Namespace: namespace, Thread: caller.Thread}, store.ReadQuery{Window: 1})
	if err != nil {
		return false, err
	}
	open, err := stored.Suspension(view.Suspension)
	return open.Item(caller.Interrupt) != nil, err
}

// End implements execution.Calls. What it ends ends what that has called.
func (c *Calls) End(ctx context.Context, caller store.ThreadKey, child, by string) error {
	key := store.ThreadKey{Namespace: caller.Namespace, Thread: child}
	for range node.MaxTries {
		is, err := c.find(ctx, caller, key)
		if errors.Is(err, store.ErrCorrupted) {
			break
		}
		if err != nil || is.run == nil || is.over {
			return err
		}
		if !is.open {
			if _, err := c.Admission.Control.EndRun(ctx, key, is.run.ID, "its caller was cancelled", by); err != nil {
				return err
			}
			continue
		}
		waited, err := c.Admission.CancelWaiting(ctx, key, admission.Actor{User: by, From: store.Origin{Through: store.ThroughCall}},
			func(open *store.Suspension) bool { return open.Execution == is.run.Execution })
		if err != nil {
			return err
		}
		if waited != "" {
			return nil // the run that ends it does so, whoever carries it
		}
	}
	c.Log.Error("a call that is not waited for any more could not be ended: cancel what goes on in its thread", "thread", child)
	return nil
}
