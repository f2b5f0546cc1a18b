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
