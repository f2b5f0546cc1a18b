package judge

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/protocol"
)

// The codes of what the rules refuse (binding, Refusals).
const (
	CodeInvalidInput      = "invalid_input"
	CodePending           = "interrupts_pending"
	CodeUncovered         = "interrupts_uncovered"
	CodeUnknownInterrupt  = "interrupt_unknown"
	CodeConflict          = "interrupt_conflict"
	CodeExpired           = "interrupt_expired"
	CodePayloadInvalid    = "interrupt_payload_invalid"
	CodePayloadTooComplex = "interrupt_payload_too_complex"
	CodeOwnApproval       = "own_approval"
	CodeLoginRequired     = "login_required"
	CodeThreadBusy        = "thread_busy"
)

const (
	retryBusy             = time.Second
	maxRefusalIDsInErrors = 100
)

// Refuse makes the RUN_ERROR of a refusal, with its details.
func Refuse(code, message string, details map[string]any) *protocol.RunError {
	e := &protocol.RunError{Code: code, Message: message}
	if details != nil {
		if text, err := json.Marshal(details); err == nil {
			e.Metadata = protocol.Metadata{lifecycle.MetadataKey: text}
		}
	}
	return e
}

// RefuseForNow makes the RUN_ERROR of a refusal that may be none in a moment.
func RefuseForNow(code, message string) *protocol.RunError {
	return Refuse(code, message, map[string]any{"retryAfterMs": retryBusy.Milliseconds()})
}

func list(ids []string) string {
	if len(ids) > maxRefusalIDsInErrors {
		ids = ids[:maxRefusalIDsInErrors]
	}
	return strings.Join(ids, ", ")
}
