package adapter

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/google/uuid"

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
	if text := i.Metadata[metadataKey]; text != nil {
		_ = json.Unmarshal(text, &own) // what is no object is replaced
	}
	own["onExpiry"], _ = json.Marshal(policy)
	i.Metadata[metadataKey], _ = json.Marshal(own)
	return i
}

// expiryPolicy is an interrupt's own policy, or the default.
func (r *Runner) expiryPolicy(i protocol.Interrupt) ExpiryPolicy {
	var own struct {
		OnExpiry ExpiryPolicy `json:"onExpiry"`
	}
	if text := i.Metadata[metadataKey]; text != nil {
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
	open, err := readSuspension(j.view.Suspension)
	if err != nil || open == nil {
		return err
	}
	policy := ExpiryKeep
	for _, it := range open.Items {
		if it.ExpiresAt == 0 || it.ExpiresAt >= j.view.Now.UnixMilli() {
			continue
		}
		if policy != ExpiryFail && it.OnExpiry != ExpiryKeep {
			policy = it.OnExpiry
		}
	}
	if policy == ExpiryKeep {
		return nil
	}
	v := verdict{continues: open, final: true}
	for _, it := range open.Items {
		entry := protocol.ResumeEntry{
			InterruptID: it.ID, Status: protocol.ResumeCancelled,
			Metadata: protocol.Metadata{metadataKey: json.RawMessage(`{"expired":true}`)},
		}
		resume, err := resumeKey(key, entry)
		if err != nil {
			return err
		}
		v.decisions, v.keys = append(v.decisions, entry), append(v.keys, resume)
	}
	if policy == ExpiryFail {
		v.failure = CodeExpired
	}
	if j.digest, err = inputDigest(key, input); err != nil {
		return err
	}
	b, start, err := beginning{judgement: j, verdict: v}.build(store.Begin{MaxAttempts: r.options.MaxAttempts}, runRecord{})
	if err != nil {
		return err
	}
	r.log.Info("interrupts have expired", "thread", key.Thread, "run", label, "policy", string(policy))
	_, _, err = r.begin(ctx, b, start)
	return err
}

// deadline is when the first of the open interrupts expires that is not to be
// kept, in Unix ms; 0: none.
func (s *suspension) deadline() int64 {
	var first int64
	for _, it := range s.Items {
		if it.ExpiresAt > 0 && it.OnExpiry != ExpiryKeep && (first == 0 || it.ExpiresAt < first) {
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
