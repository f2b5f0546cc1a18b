package adapter

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aguiws/aguiws/protocol"
)

// CallInput is what an agent is given that another one calls: at least a text or a message.
type CallInput struct {
	Messages protocol.Messages // one without an id gets one
	Text     string            // of a user message behind them; "": there is none
	State    json.RawMessage   // of its thread; nil: none
}

// CallResult is what an agent that was called came to.
type CallResult struct {
	Thread string          `json:"thread"`           // of its own, below the caller's
	Run    string          `json:"run,omitempty"`    // server-made, the one that ended its execution
	Text   string          `json:"text,omitempty"`   // of its last message; "": it wrote none
	Result json.RawMessage `json:"result,omitempty"` // as Run.Finish; nil: none
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

// CodeCallTooLarge is that of a CallError for an agent whose text and result have more than
// 256 KiB together.
const CodeCallTooLarge = "call_too_large"

// CallError is what Run.Call returns if the agent that it called did not succeed. A replay
// returns the same.
type CallError struct {
	Agent   string // "" is the default agent, if it has no name
	Thread  string
	Status  CallStatus
	Code    string // of its RUN_ERROR, or of the refusal; "": there is none
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
// it, this run or all of this thread cancels what was called, and what that has called.
//
// A replay must come to the same agent and input. Call is called where Ask may be, outside of a
// Step and of a branch of Parallel. The other errors that it returns at once are for an agent
// that there is not, an input of more than 256 KiB, and the 65th call of an execution. Threads
// stand 16 below each other at most, and 1,000 below one root: a call beyond that is refused
// until some are deleted.
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
