package adapter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// expire answers a suspension whose deadline has passed, unless somebody was
// faster: the version decides.
func (c *claimer) expire(ctx context.Context, key store.ThreadKey) error {
	label := "expired-" + uuid.NewString()
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: label}
	j, err := c.read(ctx, key, input)
	if err != nil {
		return err
	}
	open, err := stored.Suspension(j.View.Suspension)
	if err != nil || open == nil {
		return err
	}
	policy := ExpiryKeep
	for _, it := range open.Items {
		if it.ExpiresAt == 0 || it.ExpiresAt >= j.View.Now.UnixMilli() {
			continue
		}
		if policy != ExpiryFail && ExpiryPolicy(it.OnExpiry) != ExpiryKeep {
			policy = ExpiryPolicy(it.OnExpiry)
		}
	}
	if policy == ExpiryKeep {
		return nil
	}
	v, err := j.Expire(open)
	if err != nil {
		return err
	}
	if policy == ExpiryFail {
		v.Failure = CodeExpired
	}
	b := store.Begin{
		Thread: key, Version: j.View.Version, RunID: uuid.NewString(), Label: label, Execution: open.Execution,
		MaxAttempts: c.options.MaxAttempts,
	}
	digest, err := judge.InputDigest(key, input)
	if err != nil {
		return err
	}
	if b.Record, err = json.Marshal(store.RunRecord{Label: label, Execution: b.Execution, Digest: digest}); err != nil {
		return fmt.Errorf("adapter: run record: %w", err)
	}
	start, err := continuing(&b, j, v)
	if err != nil {
		return err
	}
	c.log.Info("interrupts have expired", "thread", key.Thread, "run", label, "policy", string(policy))
	_, _, err = c.admission.begin(ctx, b, start)
	return err
}
