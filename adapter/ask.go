package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/internal/canonical"
	"github.com/aguiws/aguiws/adapter/internal/responseschema"
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
// ToolCallID is that of several calls of the thread. A ResponseSchema has bounds of size and depth. It goes to clients as it is; of its keywords
// those are not checked that cannot be, as a pattern that is not RE2, or refer elsewhere.
// Metadata goes to clients as it is: its member "answers", [{"label":"Yes","payload":true}, …],
// lists answers that they offer as buttons, each of which must fit the ResponseSchema.
// ExpiresAt is as protocol.ReadTime reads it, and told so that all clients read the same time;
// without one Options.MaxPark is the time there is. Inside a Step or a branch of Parallel, Ask is an
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
func (r *Run) Confirm(ctx context.Context, message string) (bool, error) {
	answers, err := r.Ask(ctx, protocol.Interrupt{
		Reason: protocol.ReasonConfirmation, Message: message, ResponseSchema: confirmSchema,
	})
	return err == nil && answers.Of[0].Approved(), err
}

// ask also keeps the calls that the answers decide about, and returns those
// that were kept. login is what the one interrupt asks for; nil: it asks for none.
func (r *Run) ask(ctx context.Context, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login) (Answers, []store.SuspendedCall, error) {
	answers, kept, err := r.askOnce(ctx, interrupts, calls, login)
	if errors.Is(err, ErrSuspended) && r.x.blocking() && r.x.parked.scope == r.s {
		return r.wait(calls)
	}
	return answers, kept, err
}

func (r *Run) askOnce(ctx context.Context, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login) (Answers, []store.SuspendedCall, error) {
	x, s := r.x, r.s
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.closed(); err != nil {
		return Answers{}, nil, err
	}
	if x.leaving {
		return Answers{}, nil, errHandBack
	}
	interrupts = slices.Clone(interrupts)
	if where := x.inside(ctx, s); where != "" {
		return Answers{}, nil, fmt.Errorf("adapter: Ask inside %s: %w: gather the questions, then Ask once", where, errInside)
	}
	if len(interrupts) == 0 {
		return Answers{}, nil, errors.New("adapter: Ask without an interrupt")
	}
	refs := make([]string, len(interrupts))
	for i := range interrupts {
		refs[i], interrupts[i].ID = interrupts[i].ID, ""
		if _, told, err := protocol.ReadTime(interrupts[i].ExpiresAt); err == nil {
			interrupts[i].ExpiresAt = told
		}
		if err := checkInterrupt(ctx, interrupts[i], &x.node.schemas); err != nil {
			return Answers{}, nil, fmt.Errorf("adapter: Ask: interrupt %d: %w", i, err)
		}
		if err := x.node.checkExpiry(ctx, interrupts[i]); err != nil {
			return Answers{}, nil, fmt.Errorf("adapter: Ask: interrupt %d: %w", i, err)
		}
	}
	asked, err := canonical.Digest(struct {
		Interrupts []protocol.Interrupt
		Calls      []store.SuspendedCall
		Login      *store.Login `json:",omitempty"`
	}{interrupts, calls, login})
	if err != nil {
		return Answers{}, nil, err
	}
	key := s.number("ask")
	recorded := s.next()
	if recorded == nil {
		if err := x.shows(interrupts, calls); err != nil {
			return Answers{}, nil, err
		}
		if x.blocking() {
			x.park(s)
		}
		err := x.suspend(&store.JournalEntry{Kind: store.EntryAsk, Scope: s.name, Key: key, Digest: asked, Calls: calls, Login: login}, interrupts, refs, nil)
		if x.blocking() && !errors.Is(err, ErrSuspended) {
			x.parking.dismiss(x.id)
		}
		return Answers{}, nil, err
	}
	if recorded.Kind != store.EntryAsk || recorded.Key != key {
		return Answers{}, nil, x.seal(&DivergedError{Journaled: recorded.String(), Replayed: key})
	}
	if asked != recorded.Digest {
		return Answers{}, nil, x.seal(&DivergedError{Replayed: key + " asks something else than what was answered"})
	}
	answer := x.journal.answers[recorded]
	if answer == nil {
		return Answers{}, nil, x.seal(&DivergedError{Journaled: recorded.String() + " without an answer", Replayed: key})
	}
	s.cursor++
	return answersOf(answer), recorded.Calls, nil
}

// checkInterrupt refuses what clients could not answer.
func checkInterrupt(ctx context.Context, i protocol.Interrupt, schemas *responseschema.Set) error {
	if err := i.CheckReason(); err != nil {
		return err
	}
	if _, _, err := protocol.ReadTime(i.ExpiresAt); err != nil {
		return fmt.Errorf("expiresAt %.64q: %w", i.ExpiresAt, err)
	}
	if !i.ResponseSchema.IsZero() {
		if err := schemas.Compile(ctx, i.ResponseSchema); err != nil {
			return err
		}
	}
	return nil
}

// suspend ends the run with interrupts, in one commit with the ask's entry,
// and seals it. It returns ErrSuspended when that is stored.
// refs are the agent's own ids of them; nil: it has none. before is journaled before the
// ask, unless it is nil.
func (x *execution) suspend(ask *store.JournalEntry, interrupts []protocol.Interrupt, refs []string, before *store.JournalEntry) error {
	users, err := x.users()
	if err != nil {
		return err
	}
	s := store.Suspension{Execution: x.id, RunID: x.claim.RunID, Label: x.label, Agent: x.named, Users: users}
	var toolCalls, reasons []string
	for i := range interrupts {
		id := uuid.NewString()
		interrupts[i].ID = id
		if ask.Login != nil {
			x.node.showLogin(&interrupts[i], x.claim.Thread.Thread, ask.Login)
		}
		interrupts[i] = showMode(interrupts[i], ask.Calls)
		deadline := x.node.options.deadlineOf(interrupts[i])
		if interrupts[i].ExpiresAt == "" && !deadline.IsZero() {
			interrupts[i].ExpiresAt = deadline.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
		}
		shown, err := json.Marshal(interrupts[i])
		if err != nil {
			return fmt.Errorf("adapter: Ask: %w", err)
		}
		it := store.SuspendedInterrupt{ID: id, Interrupt: shown, Login: ask.Login, By: askedBy(ask)}
		if refs != nil {
			it.Ref = refs[i]
		}
		if !deadline.IsZero() {
			it.ExpiresAt, it.OnExpiry = deadline.UnixMilli(), string(expiryPolicy(interrupts[i], x.node.options.OnExpiry))
			if grace := ownExpiryOf(interrupts[i]).Grace; grace > 0 && it.OnExpiry != string(ExpiryKeep) {
				it.Due = it.ExpiresAt + grace
			}
			if it.OnExpiry == string(ExpiryAnswer) {
				it.Default = ownExpiryOf(interrupts[i]).Answer
			}
		}
		s.Items = append(s.Items, it)
		ask.IDs = append(ask.IDs, id)
		if id := interrupts[i].ToolCallID; id != "" {
			toolCalls = append(toolCalls, id)
			s.Items[i].Call = x.callOf(id)
		}
		if !slices.Contains(reasons, interrupts[i].Reason) {
			reasons = append(reasons, interrupts[i].Reason)
		}
	}
	text, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("adapter: Ask: %w", err)
	}
	entries := []*store.JournalEntry{ask}
	if before != nil {
		entries = []*store.JournalEntry{before, ask}
	}
	x.node.reached("mid_suspend")
	err = x.end(&store.End{
		Kind:       store.EndSuspend,
		Suspension: text,
		Interrupts: ask.IDs,
		ToolCalls:  toolCalls,
		Reasons:    reasons,
		Deadline:   deadline(&s),
		Summaries:  x.node.summaries(interrupts, s.Items),
	}, entries, &protocol.RunFinished{
		ThreadID: x.claim.Thread.Thread,
		RunID:    x.label,
		Outcome:  &protocol.RunOutcome{Type: protocol.OutcomeInterrupt, Interrupts: interrupts},
		Usage:    x.usage,
	})
	if err != nil {
		return err
	}
	return x.seal(ErrSuspended)
}

// callOf is a tool call that the thread holds; nil when it holds none of that
// id.
func (x *execution) callOf(id string) *protocol.ToolFunction {
	c, held := x.fold.Call(id)
	if !held {
		return nil
	}
	return &protocol.ToolFunction{Name: c.Function.Name, Arguments: c.Function.Arguments}
}
