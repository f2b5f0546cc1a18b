package order

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/aguiws/aguiws/protocol"
)

// RuleMalformed is the rule of Verify for an event that is not exact.
const RuleMalformed = "malformed"

// Verify judges a whole stream as a producer is judged: each event exact,
// in order, and the last run ended. It returns the first thing that is wrong,
// nil if nothing is.
func Verify(events []json.RawMessage) *Error {
	var s Sequence
	for i, data := range events {
		if err := protocol.ValidateEvent(data); err != nil {
			return &Error{Rule: RuleMalformed, Index: i, Message: strings.TrimPrefix(err.Error(), "protocol: ")}
		}
		e, err := protocol.Decode(data)
		if err != nil {
			return &Error{Rule: RuleMalformed, Index: i, Message: strings.TrimPrefix(err.Error(), "protocol: ")}
		}
		if broken, bad := errors.AsType[*Error](s.Check(e)); bad {
			return broken
		}
	}
	broken, _ := errors.AsType[*Error](s.End())
	return broken
}
