package follow

import (
	"encoding/json"

	"github.com/aguiws/aguiws/adapter/store"
)

// QueuedInput is an input in the queue as followers are told of it.
type QueuedInput struct {
	Label    string          `json:"runId"`
	Messages json.RawMessage `json:"messages"`
}

// Attached is where a follower stands after attaching or being restated. Its contents may
// be shared with others and must not be changed.
type Attached struct {
	Position    store.Position
	Recovered   bool
	Reason      string // not recovered: one of the Reason constants
	ActiveLabel string // label; "" when no run is active
	Interrupts  []json.RawMessage
	Queued      []QueuedInput
	Restatement [][]byte // uncounted; empty when recovered and for an unused thread
	// Older is how many messages the restatement has left out for Follower.Window, and
	// Before the place where they end, for store.Messages.
	Older  int64
	Before string

	deleted bool // and not used since
}

// Page is what a follower's cursor found.
type Page struct {
	Events   [][]byte  // shared: must not be changed. The first has the position after the cursor's
	CaughtUp bool      // the cursor is at the log's end as far as this node knows
	Restated *Attached // the cursor could not go on and was restated; Events is empty
	// Deleted says beside Restated that the thread at the cursor was deleted or
	// retired, and not just lost by the store. The cursor is at the beginning of
	// an unused one.
	Deleted bool
}
