package adapter

import (
	"encoding/json"
	"maps"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
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
	return withOwn(i, "onExpiry", policy)
}

// withOwn returns the interrupt with a member of ours in its metadata.
func withOwn(i protocol.Interrupt, name string, value any) protocol.Interrupt {
	i.Metadata = maps.Clone(i.Metadata)
	if i.Metadata == nil {
		i.Metadata = protocol.Metadata{}
	}
	own := map[string]json.RawMessage{}
	if text := i.Metadata[lifecycle.MetadataKey]; text != nil {
		_ = json.Unmarshal(text, &own) // what is no object is replaced
	}
	own[name], _ = json.Marshal(value)
	i.Metadata[lifecycle.MetadataKey], _ = json.Marshal(own)
	return i
}

// expiryPolicy is an interrupt's own policy, or the default.
func expiryPolicy(i protocol.Interrupt, otherwise ExpiryPolicy) ExpiryPolicy {
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
	return otherwise
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
