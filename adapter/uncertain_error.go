package adapter

// UncertainError says that nobody can know whether what a step asked for was done, as when
// a connection breaks behind a request. A Step's function returns it, or wraps it in what
// it returns. The step is then left unrecorded and the run suspended: a human is asked what
// became of the step (ReasonUncertainStep), also of an idempotent one. Before that the
// thread takes back what the function has emitted. Step answers as it does after the death
// of a worker. Step returns an error that the agent must return.
//
// In a branch of Parallel and in ModeBlocking it is a step's error like any other.
type UncertainError struct {
	Message string // for those who are asked: what has happened, without a full stop
}

func (e *UncertainError) Error() string { return e.Message }
