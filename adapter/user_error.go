package adapter

import "github.com/aguiws/aguiws/protocol"

// UserError is an error of an agent's that says something to those who follow the
// thread. They are told Message; of any other error they learn that the agent
// failed, and in which run, and the log has its text. errors.As finds it, so it may
// be wrapped; what a step returned is a StepError, which is to be made one outside of
// the step.
type UserError struct {
	Message string
	Code    string // of the RUN_ERROR, or of a subagent's error; "": agent_error, of a subagent's none
	// Metadata is the RUN_ERROR's; a subagent's error has none. It is left out if it is no JSON.
	Metadata protocol.Metadata
	Err      error // what the log is told; nil: nothing
}

func (e *UserError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + e.Err.Error()
}

// Unwrap returns Err.
func (e *UserError) Unwrap() error { return e.Err }
