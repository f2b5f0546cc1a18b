package dispatch

import (
	"context"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/execution"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// expire answers a suspension whose deadline has passed, unless somebody was
// faster: the version decides.
func (c *Claimer) expire(ctx context.Context, key store.ThreadKey) error {
	label := "expired-" + uuid.NewString()
	j, err := admit.Read(ctx, c.Node, key, &protocol.RunAgentInput{ThreadID: key.Thread, RunID: label})
	if err != nil {
		return err
	}
	open, err := stored.Suspension(j.View.Suspension)
	if err != nil || open == nil {
		return err
	}
	if is, err := c.Calls(ctx, key, open); is || err != nil {
		return err
	}
	policy := adapter.ExpiryKeep
	for _, it := range open.Items {
		if it.ExpiresAt == 0 || execution.DueAt(it) >= j.View.Now.UnixMilli() {
			continue
		}
		if policy != adapter.ExpiryFail && adapter.ExpiryPolicy(it.OnExpiry) != adapter.ExpiryKeep {
			policy = adapter.ExpiryPolicy(it.OnExpiry)
		}
	}
	if policy == adapter.ExpiryKeep {
		return nil
	}
	v, err := j.Expire(open)
	if err != nil {
		return err
	}
	if policy == adapter.ExpiryFail {
		v.Failure = adapter.CodeExpired
	}
	c.Log.Info("interrupts have expired", "thread", key.Thread, "label", label, "policy", string(policy))
	_, _, err = c.Admission.EndAsking(ctx, key, j, v, admission.Actor{From: store.Origin{Through: store.ThroughExpiry}})
	return err
}
