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
	// ExpiryAnswer gives the interrupt the Answer of its Expiry, and cancels those of the
	// thread that have none.
	ExpiryAnswer ExpiryPolicy = "answer"
)

// Expiry says what becomes of one question that nobody has answered in time. Clients see it
// in the interrupt's metadata.
type Expiry struct {
	// Policy is ExpiryAnswer if there is an Answer. Otherwise "" is ExpiryDefault.
	Policy ExpiryPolicy
	// Answer is the payload that the interrupt gets, with ExpiryAnswer. Ask refuses one that
	// does not fit the ResponseSchema, or if the interrupt does not expire. The agent is told
	// that the answer is nobody's: see Answer.Expired.
	Answer json.RawMessage
	// Grace is the time between the expiry and what the policy makes of it. Until then the
	// interrupt is as one that is kept: it cannot be resolved, but cancelled. A new user
	// message cancels it when all that is open has expired. ExpiryKeep has no use for it.
	Grace time.Duration
}

// OnExpiry returns the interrupt with an expiry of its own.
func OnExpiry(i protocol.Interrupt, e Expiry) protocol.Interrupt {
	if e.Answer != nil {
		e.Policy = ExpiryAnswer
		i = lifecycle.WithOwn(i, "expiryAnswer", e.Answer)
	}
	if e.Grace != 0 {
		i = lifecycle.WithOwn(i, "expiryGraceMs", e.Grace.Milliseconds())
	}
	if e.Policy != ExpiryDefault {
		i = lifecycle.WithOwn(i, "onExpiry", e.Policy)
	}
	return i
}
