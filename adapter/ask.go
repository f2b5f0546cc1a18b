package adapter

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Ask ends the run with an interrupt outcome that holds all the given
// interrupts. It returns ErrSuspended, which the agent must return: nothing of
// the agent stays in memory. When they are answered, the agent is called again
// and the same Ask returns the answers. Ids are made by Ask; a given one is
// shown to nobody, and Run.Left returns it.
//
// A reason is tool_call (with ToolCallID), input_required (with
// ResponseSchema), confirmation, or namespaced as "framework:name". Ask is an error if the
// ToolCallID is that of several calls of the thread. A
// ResponseSchema has bounds of size and depth. It goes to clients as it is; of its keywords
// those are not checked that cannot be, as a pattern that is not RE2, or refer elsewhere.
// Metadata goes to clients as it is: its member "answers", [{"label":"Yes","payload":true}, …],
// lists answers that they offer as buttons, each of which must fit the ResponseSchema. Its member
// "destructive", true, says that what a yes leads to cannot be undone.
// ExpiresAt is as protocol.ReadTime reads it, and told so that all clients read the same time;
// without one runner.Options.MaxPark is the time there is. Inside a Step or a branch of Parallel, Ask is an
// error at once and suspends nothing. Ask is an error as well while another goroutine is
// inside a Step. It does not wait for that Step: a step that asks by a context of its own
// would wait for itself. A replay, in which steps take no time, could find the two calls in
// the other order and end with agent_replay_diverged after somebody has answered. Parallel
// waits for its branches, and what they began is over then.
func (r *Run) Ask(ctx context.Context, interrupts ...protocol.Interrupt) (Answers, error) {
	answers, _, err := r.ask(ctx, interrupts, nil, nil)
	return answers, err
}

// confirmSchema is what the answer to Confirm looks like.
var confirmSchema = protocol.Any(`{"type":"object","properties":{` +
	`"approved":{"type":"boolean","description":"Yes or no"},` +
	`"reason":{"type":"string","description":"Why"}},` +
	`"required":["approved"],"additionalProperties":false}`)

// Confirm is Ask with one question that wants a yes or a no. True: somebody
// said yes. No, cancelled and expired are all false. The error is Ask's.
//
// Each mark changes the question: with AnotherResolves, runner.Options.SeparateDuties holds
// for it. Without that mark the user who asked may say yes.
func (r *Run) Confirm(ctx context.Context, message string, marks ...func(protocol.Interrupt) protocol.Interrupt) (bool, error) {
	question := protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: message, ResponseSchema: confirmSchema}
	for _, mark := range marks {
		question = mark(question)
	}
	answers, err := r.Ask(ctx, question)
	return err == nil && answers.Of[0].Approved(), err
}

// ask also keeps the calls that the answers decide about, and returns those
// that were kept. login is what the one interrupt asks for; nil: it asks for none.
func (r *Run) ask(ctx context.Context, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login) (Answers, []store.SuspendedCall, error) {
	answer, kept, err := r.x.Ask(ctx, interrupts, calls, login)
	if err != nil {
		return Answers{}, nil, err
	}
	return answersOf(answer), kept, nil
}
