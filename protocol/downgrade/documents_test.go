package downgrade

import (
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
