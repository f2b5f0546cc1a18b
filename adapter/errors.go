package adapter

import (
	"errors"
)

var (
	// ErrSuspended is what Ask, and whatever else asks, returns when the run has been
	// suspended. The agent returns it; the answers come out of the same Ask in a later
	// call. The log says if the agent goes on instead.
	ErrSuspended = errors.New("adapter: the run is suspended; return this error")
	// ErrStopped is returned by every call on a run that is over for this
	// worker: cancelled, claimed by another node, handed back, or suspended by a
	// call whose ErrSuspended was not returned.
	ErrStopped = errors.New("adapter: the run is over for this worker; return this error")
)

// DivergedError reports that a replay did not take the path that was
// journaled. It ends the run with RUN_ERROR agent_replay_diverged.
type DivergedError struct {
	Journaled string // what the journal holds at this point, "" for its end
	Replayed  string // what the agent did instead
}

func (e *DivergedError) Error() string {
	if e.Journaled == "" {
		return "adapter: replay diverged: " + e.Replayed
	}
	return "adapter: replay diverged: " + e.Replayed + ", the journal holds " + e.Journaled
}

// ErrUntellable is wrapped by the errors of Run.Emit and Run.Relay for events that clients
// could not send back. These are a message id that is empty or longer than 1024 bytes, an
// id twice in a snapshot, and a message under the id of one of another role. Others are a
// call without a parent under the id of a message, a state that has grown over
// runner.Options.MaxStateBytes, and anything that is nested deeper than 120 levels in the state or
// in a message.
var ErrUntellable = errors.New("clients could not send it back")
