package protocol

import (
	"encoding/json"
	"errors"
	"strings"
)

// RuleMalformed is the rule of VerifyStream for an event that is not exact.
const RuleMalformed = "malformed"

// VerifyStream judges a whole stream as a producer is judged: each event exact,
// in order, and the last run ended. It returns the first thing that is wrong,
// nil if nothing is.
func VerifyStream(events []json.RawMessage) *SequenceError {
	var s Sequence
	for i, data := range events {
		if err := ValidateEvent(data); err != nil {
			return &SequenceError{Rule: RuleMalformed, Index: i, Message: strings.TrimPrefix(err.Error(), "protocol: ")}
		}
		e, err := Decode(data)
		if err != nil {
			return &SequenceError{Rule: RuleMalformed, Index: i, Message: strings.TrimPrefix(err.Error(), "protocol: ")}
		}
		if broken, bad := errors.AsType[*SequenceError](s.Check(e)); bad {
			return broken
		}
	}
	broken, _ := errors.AsType[*SequenceError](s.End())
	return broken
}
