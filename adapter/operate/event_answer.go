package operate

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/internal/admit"
	"github.com/aguiws/aguiws/adapter/internal/event"
	"github.com/aguiws/aguiws/adapter/internal/judge"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/stored"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// EventToken is one that this store's nodes have made.
type EventToken struct{ wait event.Wait }

// OpenEvent reads the token of an adapter.Event, without asking the store; false: it is none.
func (ib *inbox) OpenEvent(token string) (EventToken, bool) {
	wait, ok := event.Open(ib.Store.Secret(), token)
	return EventToken{wait}, ok
}

// SendEvent ends the wait for an event with what was sent: the first that fits does. Sent
// again it is a repeat. Refusals tell whoever has the token nothing of the thread: see
// adapter.CodeEventEarly. Those of other codes may be none in a moment.
func (ib *inbox) SendEvent(ctx context.Context, t EventToken, payload json.RawMessage) (admission.Admitted, error) {
	key, id := t.wait.Thread, t.wait.Interrupt()
	before, err := ib.Store.Read(ctx, key, store.ReadQuery{InterruptIDs: []string{id}})
	if err != nil {
		return admission.Admitted{}, err
	}
	if refusal, err := t.unlessWaited(before); refusal != nil || err != nil {
		return admission.Admitted{Disposition: admission.Refused, Refusal: refusal}, err
	}
	in := admit.Request{Event: id, Input: admission.Input{
		Namespace: key.Namespace, Tenant: before.Tenant, From: store.Origin{Through: store.ThroughEvent},
		Run: &protocol.RunAgentInput{ThreadID: key.Thread, RunID: "event-" + uuid.NewString(), ProtocolVersion: lifecycle.Version,
			Resume: []protocol.ResumeEntry{{InterruptID: id, Status: protocol.ResumeResolved, Payload: protocol.Any(payload)}}},
	}}
	admitted, err := ib.admission.Take(ctx, in)
	if err != nil || admitted.Refusal == nil {
		return admitted, err
	}
	switch admitted.Refusal.Code {
	case adapter.CodeUnknownInterrupt, adapter.CodeExpired, adapter.CodeThreadDeleting:
		return admit.Refused(refuseEventOver()), nil
	case adapter.CodeConflict:
		after, err := ib.Store.Read(ctx, key, store.ReadQuery{InterruptIDs: []string{id}})
		if err != nil {
			return admission.Admitted{}, err
		}
		refusal, err := conflictOf(after.Answers[id])
		return admit.Refused(refusal), err
	case adapter.CodePayloadInvalid:
		admitted.Refusal = withoutInterrupt(admitted.Refusal)
	case adapter.CodePayloadTooComplex:
		admitted.Refusal = judge.Refuse(adapter.CodePayloadTooComplex, "the body takes too much to check against the schema of the event: make it smaller", nil)
	case adapter.CodeInvalidInput:
		admitted.Refusal = judge.Refuse(adapter.CodeInvalidInput, "the body is not JSON that can be compared", nil)
	}
	return admitted, nil
}

// unlessWaited refuses an event that nothing waits for, or not yet; nil: something does or
// did.
func (t EventToken) unlessWaited(view *store.ThreadView) (*protocol.RunError, error) {
	open, err := stored.Suspension(view.Suspension)
	if err != nil {
		return nil, err
	}
	id := t.wait.Interrupt()
	goesOn := open != nil && open.Execution == t.wait.Execution
	for _, run := range []*store.RunState{view.Active, view.Latest} {
		goesOn = goesOn || run != nil && run.Execution == t.wait.Execution && run.Terminal == nil
	}
	switch {
	case open.Item(id) != nil || view.Answers[id] != nil:
		return nil, nil
	case goesOn:
		return judge.RefuseForNow(adapter.CodeEventEarly, "the run does not wait for this event yet: send the same again in a moment"), nil
	}
	return refuseEventOver(), nil
}

func refuseEventOver() *protocol.RunError {
	return judge.Refuse(adapter.CodeEventOver, "nothing waits for this event any more: its time is over, or the wait was cancelled", nil)
}

// conflictOf says what has ended the wait before.
func conflictOf(answer json.RawMessage) (*protocol.RunError, error) {
	var before store.Answer
	if answer == nil {
		return refuseEventOver(), nil
	}
	if err := stored.Decode(answer, &before, "the answer to an event"); err != nil {
		return nil, err
	}
	if before.Cancelled || before.Expired || before.Stopped {
		return refuseEventOver(), nil
	}
	return judge.Refuse(adapter.CodeEventConflict, "another body was sent for this event before, and it stays", nil), nil
}

// withoutInterrupt is a refusal of what was sent, for whoever knows of no interrupt.
func withoutInterrupt(e *protocol.RunError) *protocol.RunError {
	var own struct {
		Fields []struct {
			Pointer string `json:"pointer"`
			Message string `json:"message"`
		} `json:"fields"`
	}
	_ = json.Unmarshal(e.Metadata[lifecycle.MetadataKey], &own) // it is ours
	return judge.Refuse(e.Code, e.Message, map[string]any{"fields": own.Fields})
}
