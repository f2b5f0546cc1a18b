package store

import (
	"context"
	"encoding/json"
)

// Control is what is done to a thread from outside, whatever its worker does.
type Control interface {
	// StopAll raises the thread's dispatch epoch and supersedes every dispatch
	// of it that is queued or claimed. See the type StopAll. An open suspension
	// stays open.
	StopAll(ctx context.Context, i StopAll) (StopAllResult, error)
	// Pause sets the thread's wish that its active run suspends at its next step.
	// False: no run is active, and nothing is wished. An end clears the wish, and a later
	// one takes its place.
	Pause(ctx context.Context, key ThreadKey, w Wish) (bool, error)
	// Unpause takes the wish back. False: there is none that could be. The request
	// names the call: sent again it answers as it did, unless a run has ended or
	// a wish was set since.
	Unpause(ctx context.Context, key ThreadKey, request string) (bool, error)
}

// Wish is what goes along with the wish that a run suspends.
type Wish struct {
	// Note is for the worker that carries it out, and is kept as it is; nil: nothing.
	Note json.RawMessage
}

// StopAll asks to end all that a thread has.
type StopAll struct {
	Thread  ThreadKey
	Request string // names this call: sent again it stops nothing else
	// Active is the run that the caller has seen active, and Terminal the event
	// to end it with. When another is active by then nothing changes and the
	// answer is Stale. "": none was active. A run that was claimed and never
	// activated ends as if it had waited, with Enqueue.Cancelled.
	Active   string
	Terminal []byte
	Reason   string // kept with what it supersedes
	By       string // as Dispatch.StoppedBy
	Instead  string // as Dispatch.ReplacedBy
	// Repair takes out of the thread first what cannot be read, and ends whichever
	// run is active with Terminal.
	Repair bool
}

// StopAllResult answers StopAll.
type StopAllResult struct {
	Stale      bool
	Epoch      int64    // the thread's dispatch epoch, raised by one
	Superseded []string // the dispatches that were queued, in their order
	Active     string   // the dispatch that was claimed; "": none
	// Owed are the two events that the sender of each of Superseded is owed, in
	// the same order; nil for those already logged.
	Owed [][][]byte
	// Behind is how many events the log has behind the snapshot by now, if a run was active.
	Behind int64
}
