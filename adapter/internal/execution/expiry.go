package execution

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// maxGrace bounds the grace behind an expiry.
const maxGrace = 365 * 24 * time.Hour

// ownExpiry is what an interrupt says of its expiry.
type ownExpiry struct {
	Policy adapter.ExpiryPolicy `json:"onExpiry"`
	Answer json.RawMessage      `json:"expiryAnswer"`
	Grace  int64                `json:"expiryGraceMs"`
}

func ownExpiryOf(i protocol.Interrupt) (own ownExpiry) {
	if text := i.Metadata[lifecycle.MetadataKey]; text != nil {
		_ = json.Unmarshal(text, &own) // what is no object says nothing
	}
	return own
}

// expiryPolicy is an interrupt's own policy, or the default.
func expiryPolicy(i protocol.Interrupt, otherwise adapter.ExpiryPolicy) adapter.ExpiryPolicy {
	switch own := ownExpiryOf(i); own.Policy {
	case adapter.ExpiryKeep, adapter.ExpiryCancel, adapter.ExpiryFail, adapter.ExpiryAnswer:
		return own.Policy
	}
	return otherwise
}

// checkExpiry refuses an answer for the expiry that nobody could give, or that there is
// no time for.
func checkExpiry(ctx context.Context, n *node.Node, i protocol.Interrupt) error {
	own := ownExpiryOf(i)
	if own.Grace < 0 || own.Grace > maxGrace.Milliseconds() {
		return fmt.Errorf("the grace after the expiry is %d ms: must be 0 to %d days", own.Grace, int(maxGrace.Hours())/24)
	}
	if own.Policy != adapter.ExpiryAnswer {
		return nil
	}
	switch {
	case len(own.Answer) == 0:
		return errors.New("the policy for the expiry is to answer, and there is no answer: set Answer in adapter.Expiry")
	case i.ExpiresAt == "" && n.Options.MaxPark < 0:
		return errors.New("the interrupt has an answer for its expiry and does not expire")
	}
	if _, err := canonical.Digest(own.Answer); err != nil {
		return fmt.Errorf("the answer for its expiry: %w", err)
	}
	if i.ResponseSchema.IsZero() {
		return nil
	}
	problems, err := n.Schemas.CheckWithin(ctx, new(responseschema.Budget), i.ResponseSchema, protocol.Any(own.Answer))
	if err != nil {
		return fmt.Errorf("the answer for its expiry: %w", err)
	}
	if len(problems) > 0 {
		return fmt.Errorf("the answer for its expiry does not fit its responseSchema: %s %s", problems[0].Pointer, problems[0].Message)
	}
	return nil
}

// deadlineOf is when an interrupt that is asked now expires; zero: never.
func deadlineOf(i protocol.Interrupt, park time.Duration) time.Time {
	at := expiryTime(i)
	if at.IsZero() && park > 0 {
		return time.Now().Add(park)
	}
	return at
}

// deadline is when the first of the open interrupts expires that is not to be
// kept, in Unix ms; 0: none.
func deadline(s *store.Suspension) int64 {
	var first int64
	for _, it := range s.Items {
		if at := DueAt(it); at > 0 && adapter.ExpiryPolicy(it.OnExpiry) != adapter.ExpiryKeep && (first == 0 || at < first) {
			first = at
		}
	}
	return first
}

// DueAt is when an interrupt's policy is carried out, in Unix ms; 0: never.
func DueAt(it store.SuspendedInterrupt) int64 { return cmp.Or(it.Due, it.ExpiresAt) }

// expiryTime reads an interrupt's ExpiresAt; zero when it never expires.
func expiryTime(i protocol.Interrupt) time.Time {
	at, _, _ := protocol.ReadTime(i.ExpiresAt) // zero of what is none
	return at
}
