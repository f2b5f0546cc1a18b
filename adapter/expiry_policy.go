package adapter

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// ExpiryPolicy says what becomes of an open interrupt when its ExpiresAt has
// passed. Resolving it is refused from then on, whatever the policy.
type ExpiryPolicy string

const (
	// ExpiryDefault is what runner.Options.OnExpiry says.
	ExpiryDefault ExpiryPolicy = ""
	// ExpiryKeep leaves it open: it can still be cancelled. When all of a thread's open
	// interrupts have expired and are kept, a new user message cancels them, whatever
	// runner.Options.Unanswered says.
	ExpiryKeep ExpiryPolicy = "keep"
	// ExpiryCancel cancels every open interrupt of the thread and continues the
	// execution.
	ExpiryCancel ExpiryPolicy = "cancel"
	// ExpiryFail cancels them and ends the execution in RUN_ERROR
	// interrupt_expired.
	ExpiryFail ExpiryPolicy = "fail"
	// ExpiryAnswer gives the interrupt the answer of AnswerOnExpiry, which says it, and
	// cancels those of the thread that have none.
	ExpiryAnswer ExpiryPolicy = "answer"
)

// AnswerOnExpiry returns the interrupt with an answer that it gets when nobody has
// answered in time, which clients see in its metadata. Ask refuses one that does not
// fit the ResponseSchema, or when the interrupt does not expire. The agent is told that the
// answer is nobody's: see Answer.Expired.
func AnswerOnExpiry(payload json.RawMessage, i protocol.Interrupt) protocol.Interrupt {
	return lifecycle.WithOwn(lifecycle.WithOwn(i, "onExpiry", ExpiryAnswer), "expiryAnswer", payload)
}

// OnExpiry returns the interrupt with a policy of its own, which clients see in
// its metadata.
func OnExpiry(policy ExpiryPolicy, i protocol.Interrupt) protocol.Interrupt {
	return lifecycle.WithOwn(i, "onExpiry", policy)
}

// OnExpiryAfter is OnExpiry with a grace between the expiry and what the policy makes of
// it: for so long the interrupt is as one that is kept. It cannot be resolved then, but
// cancelled. A new user message cancels it when all that is open has expired. ExpiryKeep
// has no use for a grace.
func OnExpiryAfter(grace time.Duration, policy ExpiryPolicy, i protocol.Interrupt) protocol.Interrupt {
	return lifecycle.WithOwn(OnExpiry(policy, i), "expiryGraceMs", grace.Milliseconds())
}
