package adapter

// UncertainError says that nobody can know whether what a step asked for was done, as when
// a connection breaks behind a request. A Step's function returns it, or wraps it in what
// it returns. The step is then left unrecorded and the run suspended: a human is asked what
// became of the step (ReasonUncertainStep), also of an idempotent one. Step answers as it
// does after the death of a worker. Step returns ErrSuspended, which the agent must return.
//
// Events that the function has emitted stay in the thread, so the error is best returned
// before anything was emitted. In a branch of Parallel and in ModeBlocking it is a step's
// error like any other.
type UncertainError struct {
	Message string // for those who are asked: what has happened, without a full stop
}

func (e *UncertainError) Error() string { return e.Message }
