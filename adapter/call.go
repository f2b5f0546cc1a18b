package adapter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// CallInput is the input of the agent that Run.Call calls. It needs a text or a message.
type CallInput struct {
	Messages protocol.Messages // a message without an id gets one
	Text     string            // becomes a user message after Messages; "": none
	State    json.RawMessage   // the state of the new thread, in JSON; nil: none
}

// CallResult is the result of a call.
type CallResult struct {
	Thread string          `json:"thread"`           // the called agent's own, below the caller's
	Run    string          `json:"run,omitempty"`    // the server's id of the run that ended the called execution
	Text   string          `json:"text,omitempty"`   // the text of the called agent's last message; "": it wrote none
	Result json.RawMessage `json:"result,omitempty"` // what the called agent gave to Run.Finish; nil: nothing
}

// Decode unmarshals the result. In what is any numbers are json.Number.
func (r CallResult) Decode(into any) error {
	if err := decode(r.Result, into); err != nil {
		return fmt.Errorf("adapter: result of a call: %w", err)
	}
	return nil
}

// CallStatus says how a call failed.
type CallStatus string

const (
	CallFailed    CallStatus = "failed"    // the agent's execution ended with an error
	CallCancelled CallStatus = "cancelled" // it was cancelled, or its thread was deleted
	CallRefused   CallStatus = "refused"   // it could not begin
	CallWithdrawn CallStatus = "withdrawn" // the call's own interrupt was cancelled, and the agent's execution with it
)

// Codes that only a CallError has. The last three are of CallRefused.
const (
	CodeCallTooLarge  = "call_too_large" // the agent's text and result have more than 256 KiB together
	CodeCallTooDeep   = "call_too_deep"  // its thread would stand more than 16 below its root
	CodeTreeFull      = "tree_full"      // the tree has its 1,000 threads
	CodeNamespaceFull = "namespace_full" // the namespace has no room for another thread below one
)

// CallError is what Run.Call returns if the agent that it called did not succeed. A replay
// returns the same.
type CallError struct {
	Agent   string // "" is the default agent, if it has no name
	Thread  string
	Status  CallStatus
	Code    string // of its RUN_ERROR, or of the refusal; "": there is none. CallRefused has one always
	Message string // as clients are told
}

func (e *CallError) Error() string {
	text := fmt.Sprintf("adapter: the agent %q was called and %s", e.Agent, e.Status)
	if e.Status == CallRefused || e.Status == CallWithdrawn || e.Status == CallCancelled {
		text = fmt.Sprintf("adapter: the call of the agent %q was %s", e.Agent, e.Status)
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// Call runs another agent on a thread of its own, below this one's, and returns what it came
// to. It suspends the run as Ask does: it returns ErrSuspended, which the agent must return,
// and nothing of the agent stays in memory. When the other agent's execution has ended, after
// however many questions, the same Call returns its result or a CallError. The execution of the
// other agent is begun once, whoever dies.
//
// The input counts as one of the user who began the execution. It has none of the headers that
// came with theirs. Clients see an interrupt of ReasonCall, which nobody can resolve. Cancelling
// it, this run or all of this thread cancels what was called, and what that has called. So does
// a cancel that becomes a dead letter.
//
// A replay must come to the same agent and input. An agent may call where it may Ask, outside of
// a Step and of a branch of Parallel. Call returns an error at once for an agent that does not
// exist, for an input of more than 256 KiB, and for the 65th call of an execution. A call for whose
// thread there is no room comes to a CallError that is CallRefused: CodeCallTooDeep, CodeTreeFull,
// CodeNamespaceFull, or CodeThreadQuota of the user. Deleting threads makes room for all but the first.
func (r *Run) Call(ctx context.Context, agent string, input CallInput) (CallResult, error) {
	in := &protocol.RunAgentInput{Messages: make(protocol.Messages, len(input.Messages)), State: protocol.Any(input.State)}
	copy(in.Messages, input.Messages)
	if input.Text != "" {
		in.Messages = append(in.Messages, protocol.Message{Role: protocol.RoleUser, Content: protocol.Text(input.Text)})
	}
	if len(in.Messages) == 0 {
		return CallResult{}, fmt.Errorf("adapter: Call of the agent %.80q without a text or a message", agent)
	}
	for i := range in.Messages {
		if in.Messages[i].ID == "" {
			in.Messages[i].ID = r.NewID()
		}
	}
	answer, thread, err := r.x.Call(ctx, agent, in)
	if err != nil {
		return CallResult{}, err
	}
	var ended struct {
		CallResult
		Status  CallStatus `json:"status"`
		Code    string     `json:"code"`
		Message string     `json:"message"`
	}
	resolved, err := answersOf(answer).Of[0].Decode(&ended)
	switch {
	case err != nil:
		return CallResult{}, err
	case !resolved:
		return CallResult{}, &CallError{Agent: agent, Thread: thread, Status: CallWithdrawn}
	case ended.Status != "":
		return CallResult{}, &CallError{Agent: agent, Thread: thread, Status: ended.Status, Code: ended.Code, Message: ended.Message}
	}
	return ended.CallResult, nil
}
