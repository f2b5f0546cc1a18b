package client

import (
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

// Decision is what became of an interrupt, as the run tells that goes on with it (binding,
// Who decided). Members that there is nothing of are zero.
type Decision struct {
	InterruptID string
	ToolCallID  string
	Status      DecisionStatus
	Approved    *bool     // what the answer says of a call; nil: nothing
	By          string    // the user
	Through     string    // how it has come: socket, post, copilotkit, inbox, link, login, operator, steering or expiry
	At          time.Time // by the clock of the server's store
	Reason      string
	Changed     []Change // how an approval has edited the arguments
	Cut         []string // which of payload, reason and changed are not whole
}

// DecisionStatus is what became of an interrupt. Unlike protocol.ResumeStatus it tells a
// time that ran out from what somebody did.
type DecisionStatus string

const (
	DecisionResolved  DecisionStatus = "resolved"
	DecisionCancelled DecisionStatus = "cancelled"
	DecisionExpired   DecisionStatus = "expired" // nobody answered in time
)

// Change is one place of arguments that were edited.
type Change struct {
	Pointer string          // RFC 6901
	Before  json.RawMessage // nil: there was nothing
	After   json.RawMessage // nil: there is nothing
	Cut     []string        // which of before and after are strings with the first part
}

// Decisions are those that a RUN_STARTED tells; none of other events, and of what cannot be
// read.
func Decisions(e protocol.Event) []Decision {
	started, ok := e.(*protocol.RunStarted)
	if !ok || started == nil {
		return nil
	}
	var ours struct{ Decisions []Decision }
	if json.Unmarshal(started.Metadata["aguiws"], &ours) != nil {
		return nil
	}
	return ours.Decisions
}
