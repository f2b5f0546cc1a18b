package adapter

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Injection is an input that an operator or a program adds to a thread.
type Injection struct {
	Namespace string
	Tenant    string
	User      string // Input.User
	From      Origin // Input.From
	Thread    string
	Agent     string
	Text      string // of the user message
	Label     string // the same for the same injection sent again; "": a new one
	// StopAll stops all that is under way, if the thread has nothing else
	// against the input and it is not a repeat.
	StopAll bool
	// After rewinds: the messages after the one with this id are archived, and
	// the text follows it. "": nothing is taken out.
	After    string
	When     When // Input.When
	Dispatch DispatchOptions
	Headers  map[string]string // Input.Headers
}

// Inject submits a user message for a thread that is stored. The answers are
// those of Submit.
func (ts *threads) Inject(ctx context.Context, in Injection) (Admitted, error) {
	if in.Label == "" {
		in.Label = uuid.NewString()
	}
	input := &protocol.RunAgentInput{ThreadID: in.Thread, RunID: in.Label, ProtocolVersion: lifecycle.Version}
	if in.After != "" && in.When == WhenStep {
		return refused(judge.Refuse(CodeInvalidInput, "what joins a run rewinds nothing: leave out either", nil)), nil
	}
	if in.After != "" {
		thread, err := ts.Thread(ctx, store.ThreadKey{Namespace: in.Namespace, Thread: in.Thread})
		if err != nil {
			return Admitted{}, err
		}
		input.Messages = upTo(thread, in.After)
		if input.Messages == nil {
			return refused(judge.Refuse(CodeInvalidInput, fmt.Sprintf("the thread holds no message %q", in.After), nil)), nil
		}
	}
	input.Messages = append(input.Messages, protocol.Message{
		ID: derive(in.Label, in.Thread, 1), Role: protocol.RoleUser, Content: protocol.Text(in.Text),
	})
	return ts.admission.Submit(ctx, Input{
		Namespace: in.Namespace, Tenant: in.Tenant, User: in.User, From: in.From, Agent: in.Agent, Run: input, Dispatch: in.Dispatch, Headers: in.Headers, When: in.When, stopsAll: in.StopAll,
	})
}

// upTo are the thread's messages up to one of them; nil when it is not there.
func upTo(t *Thread, id string) protocol.Messages {
	if t != nil {
		for i, m := range t.Messages {
			if m.ID == id {
				return t.Messages[: i+1 : i+1]
			}
		}
	}
	return nil
}
