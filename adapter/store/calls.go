package store

import "github.com/aguiws/aguiws/protocol"

// AskedByCall is SuspendedInterrupt.By of a wait for an agent that was called. The end of
// that agent's execution resolves it; nobody answers it.
const AskedByCall = "call"

// Child is what an execution has called: an execution of an agent, on a thread of its own in
// the same namespace.
type Child struct {
	Thread string                  `json:"thread"`
	Agent  string                  `json:"agent,omitempty"`
	Input  *protocol.RunAgentInput `json:"input,omitempty"`  // a Suspension has it, and no journal
	User   string                  `json:"user,omitempty"`   // whose the input is; "": not known
	Tenant string                  `json:"tenant,omitempty"` // the user's
	Asked  int64                   `json:"asked,omitempty"`  // when it was called, Unix ms
}

// Caller is the call that began an execution.
type Caller struct {
	Thread    string   `json:"thread"` // that called, in the same namespace
	Interrupt string   `json:"interrupt"`
	Users     []string `json:"users,omitempty"`  // Suspension.Users of the one that called
	Tenant    string   `json:"tenant,omitempty"` // Child.Tenant: the thread may be another's
}

// Called are the threads of the calls that are waited for.
func (s *Suspension) Called() []string {
	var threads []string
	for _, it := range s.Items {
		if it.Child != nil {
			threads = append(threads, it.Child.Thread)
		}
	}
	return threads
}
