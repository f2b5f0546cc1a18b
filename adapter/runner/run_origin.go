package runner

import "github.com/aguiws/aguiws/adapter/store"

// RunOrigin says why a run came to be.
type RunOrigin string

const (
	OriginUser     RunOrigin = "user"     // somebody's input, by whatever client
	OriginResume   RunOrigin = "resume"   // answers, wherever they were given
	OriginOperator RunOrigin = "operator" // an action on the thread: an input by the control API, going on after a pause, a requeue
	OriginExpiry   RunOrigin = "expiry"   // nobody answered in time
	OriginChild    RunOrigin = "child"    // an input that names the run that spawned its own
)

// RunOrigins are all there are.
var RunOrigins = []RunOrigin{OriginUser, OriginResume, OriginOperator, OriginExpiry, OriginChild}

// origin is why the run that is built comes to be.
func (n *beginBuilder) origin() RunOrigin {
	switch {
	case n.letter != nil || n.from.Through == ThroughOperator:
		return OriginOperator
	case n.from.Through == ThroughExpiry:
		return OriginExpiry
	case n.Continues != nil && !n.Steer:
		return OriginResume
	case n.Input.ParentRunID != "":
		return OriginChild
	}
	return OriginUser
}

// openRun is the run that goes on or waits for answers; "": there is none.
func openRun(view *store.ThreadView, open *store.Suspension) string {
	switch {
	case view.Active != nil:
		return view.Active.ID
	case open != nil:
		return open.RunID
	}
	return ""
}
