package adapter

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// ExpiryPolicy says what becomes of an open interrupt when its ExpiresAt has
// passed. Resolving it is refused from then on, whatever the policy.
type ExpiryPolicy string

const (
	// ExpiryDefault is what Options.OnExpiry says.
	ExpiryDefault ExpiryPolicy = ""
	// ExpiryKeep leaves it open: it can still be cancelled.
	ExpiryKeep ExpiryPolicy = "keep"
	// ExpiryCancel cancels every open interrupt of the thread and continues the
	// execution.
	ExpiryCancel ExpiryPolicy = "cancel"
	// ExpiryFail cancels them and ends the execution in RUN_ERROR
	// interrupt_expired.
	ExpiryFail ExpiryPolicy = "fail"
)

// OnExpiry returns the interrupt with a policy of its own, which clients see in
// its metadata.
func OnExpiry(policy ExpiryPolicy, i protocol.Interrupt) protocol.Interrupt {
	i.Metadata = maps.Clone(i.Metadata)
	if i.Metadata == nil {
		i.Metadata = protocol.Metadata{}
	}
	own := map[string]json.RawMessage{}
	if text := i.Metadata[lifecycle.MetadataKey]; text != nil {
		_ = json.Unmarshal(text, &own) // what is no object is replaced
	}
	own["onExpiry"], _ = json.Marshal(policy)
	i.Metadata[lifecycle.MetadataKey], _ = json.Marshal(own)
	return i
}

// expiryPolicy is an interrupt's own policy, or the default.
func (r *Runner) expiryPolicy(i protocol.Interrupt) ExpiryPolicy {
	var own struct {
		OnExpiry ExpiryPolicy `json:"onExpiry"`
	}
	if text := i.Metadata[lifecycle.MetadataKey]; text != nil {
		_ = json.Unmarshal(text, &own)
	}
	switch own.OnExpiry {
	case ExpiryKeep, ExpiryCancel, ExpiryFail:
		return own.OnExpiry
	}
	return r.options.OnExpiry
}

// expire answers a suspension whose deadline has passed, unless somebody was
// faster: the version decides.
func (r *Runner) expire(ctx context.Context, key store.ThreadKey) error {
	label := "expired-" + uuid.NewString()
	input := &protocol.RunAgentInput{ThreadID: key.Thread, RunID: label}
	j, err := r.read(ctx, key, input)
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
		MaxAttempts: r.options.MaxAttempts,
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
	r.log.Info("interrupts have expired", "thread", key.Thread, "run", label, "policy", string(policy))
	_, _, err = r.begin(ctx, b, start)
	return err
}

// deadline is when the first of the open interrupts expires that is not to be
// kept, in Unix ms; 0: none.
func deadline(s *store.Suspension) int64 {
	var first int64
	for _, it := range s.Items {
		if it.ExpiresAt > 0 && ExpiryPolicy(it.OnExpiry) != ExpiryKeep && (first == 0 || it.ExpiresAt < first) {
			first = it.ExpiresAt
		}
	}
	return first
}

// expiryTime reads an interrupt's ExpiresAt; zero when it never expires.
func expiryTime(i protocol.Interrupt) time.Time {
	at, err := time.Parse(time.RFC3339, i.ExpiresAt)
	if err != nil {
		return time.Time{}
	}
	return at
}
