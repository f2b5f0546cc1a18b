package adapter

import "github.com/aguiws/aguiws/protocol"

// GiveBackError says that what the answers asked for was not begun, as when a server that
// they go to cannot be reached, and ends the run in RUN_ERROR. Returned by a Step's
// function, or wrapped in what that returns, it leaves the step unrecorded, and whatever
// the agent makes of what Step returns; the agent may return one itself as well.
//
// The answers that the run carries out are given back: their interrupts are open again
// under their ids, and the same answers or others execute anew. Events that the run has
// emitted stay in the thread, and Run.NewID makes the same ids again when an answer
// executes anew: the error is best returned before anything was emitted. The run ends
// without giving anything back in four cases. It carries out no answer. A step was recorded
// since the answers, Parallel begun, or another question answered. A time that ran out has
// answered. The mode is ModeBlocking, in which nobody could go on.
//
// The agent that returns it knows that no step which was started since the answers had an
// effect. If the worker dies before the run's end is stored, the next one does not know: a
// human is asked about the step, unless it is idempotent.
type GiveBackError struct {
	Code     string            // of the RUN_ERROR; "": agent_error
	Message  string            // for those who follow the thread
	Metadata protocol.Metadata // of the RUN_ERROR; left out if it is no JSON
	Err      error             // what the log is told; nil: nothing
}

func (e *GiveBackError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *GiveBackError) Unwrap() error { return e.Err }
