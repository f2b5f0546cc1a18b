package operate

import (
	"context"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// LoginAnswer says how an interrupt of ReasonAuthRequired ends.
type LoginAnswer struct {
	Thread       store.ThreadKey
	Interrupt    string
	Tenant, User string // as Input's
	From         store.Origin
	// Declined: the user has declined at the provider. Otherwise they have logged in.
	Declined bool
	Headers  map[string]string // as Input.Headers
}

// AnswerLogin ends an interrupt of ReasonAuthRequired. Sent again it is a repeat.
func (ib *inbox) AnswerLogin(ctx context.Context, a LoginAnswer) (admission.Admitted, error) {
	entry := protocol.ResumeEntry{InterruptID: a.Interrupt, Status: protocol.ResumeResolved}
	if a.Declined {
		entry.Status = protocol.ResumeCancelled
	}
	in := admit.Request{Login: a.Interrupt, Input: admission.Input{
		Namespace: a.Thread.Namespace, Tenant: a.Tenant, User: a.User, From: a.From, Headers: a.Headers,
		Run: &protocol.RunAgentInput{ThreadID: a.Thread.Thread, RunID: "login-" + uuid.NewString(), Resume: []protocol.ResumeEntry{entry}},
	}}
	return ib.admission.Take(ctx, in)
}
