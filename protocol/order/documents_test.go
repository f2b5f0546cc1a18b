package order

import (
	"errors"
	"testing"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/internal/eventtext"
)

const (
	start  = eventtext.Start
	finish = eventtext.Finish
)

// events decodes events written as JSON.
func events(t testing.TB, documents ...string) []protocol.Event {
	t.Helper()
	return eventtext.Decode(t, protocol.Decode, documents...)
}

// check feeds a sequence and returns the first error.
func check(t testing.TB, documents ...string) *Error {
	t.Helper()
	var s Sequence
	for _, e := range events(t, documents...) {
		if err := s.Check(e); err != nil {
			broken, ok := errors.AsType[*Error](err)
			if !ok {
				t.Fatalf("not a SequenceError: %v", err)
			}
			return broken
		}
	}
	return nil
}
