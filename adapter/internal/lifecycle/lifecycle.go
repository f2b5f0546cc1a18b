// Package lifecycle is how runs begin and end on the wire, whoever writes it.
package lifecycle

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Version is what RUN_STARTED declares: nothing is emitted that AG-UI 1.1 adds.
const Version = protocol.Version10

// MetadataKey is the member of an event's metadata that is ours.
const MetadataKey = "aguiws"

// Cancelled is the end of a run that was cancelled.
func Cancelled(key store.ThreadKey, label string) protocol.Event {
	return &protocol.RunFinished{ThreadID: key.Thread, RunID: label, Outcome: &protocol.RunOutcome{Type: protocol.OutcomeCancelled}}
}

// CancelledInQueue is the whole of a run that never ran; parent is what its input says
// that it came from.
func CancelledInQueue(key store.ThreadKey, label, parent string) [2]protocol.Event {
	return [2]protocol.Event{
		&protocol.RunStarted{ThreadID: key.Thread, RunID: label, ParentRunID: parent, ProtocolVersion: Version},
		Cancelled(key, label),
	}
}

// State is a thread's state as events say it: one that was never set is {}.
func State(state json.RawMessage) json.RawMessage {
	if len(state) == 0 {
		return json.RawMessage("{}")
	}
	return state
}
