package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// RetryLater refuses an input that may be sent again after a while.
func RetryLater(code, message string, after time.Duration) *protocol.RunError {
	e := &protocol.RunError{Code: code, Message: message}
	e.Metadata = protocol.Metadata{"aguiws": json.RawMessage(fmt.Sprintf(`{"retryAfterMs":%d}`, after.Milliseconds()))}
	return e
}

// StoreDown refuses an input before anything was done for it. Clients are spread,
// so that they do not all come at once when the store is back.
func StoreDown() *protocol.RunError {
	return RetryLater(refusal.CodeStore, "the store does not answer; send the same input again", 2*time.Second+rand.N(3*time.Second))
}

// Unanswered says why an input, or its run, got no answer.
func Unanswered(err error) *protocol.RunError {
	if errors.Is(err, store.ErrCorrupted) {
		return &protocol.RunError{Code: adapter.CodeStateCorrupted, Message: RefuseCorrupted.Message}
	}
	if errors.Is(err, store.ErrNoRoom) {
		return Overloaded()
	}
	return OutcomeUnknown()
}

// Overloaded refuses what finds no room now.
func Overloaded() *protocol.RunError {
	return RetryLater(refusal.CodeOverloaded, "too much is held for clients now; send the same input again", 5*time.Second)
}

// OutcomeUnknown says that nobody knows whether an input was accepted: sent again, it tells.
func OutcomeUnknown() *protocol.RunError {
	return RetryLater(refusal.CodeStore, "the outcome is unknown; send the same input again", time.Second)
}
