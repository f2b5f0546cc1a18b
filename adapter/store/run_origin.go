package store

// RunOrigin says why a run came to be.
type RunOrigin string

const (
	OriginUser     RunOrigin = "user"     // somebody's input, by whatever client
	OriginResume   RunOrigin = "resume"   // answers, wherever they were given
	OriginOperator RunOrigin = "operator" // an action on the thread: an input by the control API, going on after a pause, a requeue
	OriginExpiry   RunOrigin = "expiry"   // nobody answered in time
	OriginChild    RunOrigin = "child"    // the call of an agent on another thread
)

// RunOrigins are all there are.
var RunOrigins = []RunOrigin{OriginUser, OriginResume, OriginOperator, OriginExpiry, OriginChild}
