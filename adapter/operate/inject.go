package operate

import (
	"context"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Injection is an input that an operator or a program adds to a thread.
type Injection struct {
	Namespace string
	Tenant    string
	User      string       // Input.User
	From      store.Origin // Input.From
	Thread    string
	Agent     string
	Text      string // of the user message; "": none is added, which only who goes back can ask for
	Label     string // the same for the same injection sent again; "": a new one
	// StopAll stops all that is under way, if the thread has nothing else
	// against the input and it is not a repeat.
	StopAll bool
	// After and Before rewind: the messages after the one with this id, or it and those
	// after it, are archived as a branch, and the text follows. Without a text the user
	// message that they stood behind is answered anew. One of them at most; "": nothing is
	// taken out. While a run is under way that is refused as CodeThreadBusy, unless
	// StopAll is set, and while interrupts are open as any input that answers none.
	After, Before string
	// Restores is the id of the branch that comes back in the place of what has followed
	// since, which becomes a branch itself: the run does that and nothing else.
	// CodeBranchGone refuses one that is not kept any more.
	Restores string
	When     admission.When // Input.When
	Dispatch admission.DispatchOptions
	Headers  map[string]string // Input.Headers
}

// Inject submits a user message for a thread that is stored. The answers are
// those of Submit.
func (ts *threads) Inject(ctx context.Context, in Injection) (admission.Admitted, error) {
	if in.Label == "" {
		in.Label = uuid.NewString()
	}
	input := &protocol.RunAgentInput{ThreadID: in.Thread, RunID: in.Label, ProtocolVersion: lifecycle.Version}
	if in.When == admission.WhenStep && (in.After != "" || in.Before != "" || in.Restores != "") {
		return admit.Refused(judge.Refuse(adapter.CodeInvalidInput, "an input that joins a run cannot rewind the thread: leave out one of the two", nil)), nil
	}
	back, refusal := goingBackOf(in)
	if refusal != nil {
		return admit.Refused(refusal), nil
	}
	if in.Text != "" {
		input.Messages = protocol.Messages{{ID: journal.Derive(in.Label, in.Thread, 1), Role: protocol.RoleUser, Content: protocol.Text(in.Text)}}
	}
	return ts.admission.Take(ctx, admit.Request{StopsAll: in.StopAll, Back: back, Input: admission.Input{
		Namespace: in.Namespace, Tenant: in.Tenant, User: in.User, From: in.From, Agent: in.Agent, Run: input, Dispatch: in.Dispatch, Headers: in.Headers, When: in.When,
	}})
}

// goingBackOf says how the injection goes back; nil: it does not.
func goingBackOf(in Injection) (*admit.GoingBack, *protocol.RunError) {
	ways := 0
	for _, id := range []string{in.After, in.Before, in.Restores} {
		if id != "" {
			ways++
		}
	}
	switch {
	case ways > 1:
		return nil, judge.Refuse(adapter.CodeInvalidInput, "an input can go back in one way only: give one of after, before and the branch", nil)
	case ways == 0 && in.Text == "":
		return nil, judge.Refuse(adapter.CodeInvalidInput, "the input adds nothing: give a text", nil)
	case ways == 0:
		return nil, nil
	case in.Restores == "":
		return &admit.GoingBack{After: in.After, Before: in.Before, Again: in.Text == ""}, nil
	case in.Text != "":
		return nil, judge.Refuse(adapter.CodeInvalidInput, "a branch comes back alone: add the text when it has", nil)
	}
	return &admit.GoingBack{Restores: in.Restores}, nil
}
