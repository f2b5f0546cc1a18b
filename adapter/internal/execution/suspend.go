package execution

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/internal/event"
	"github.com/aguiws/aguiws/adapter/internal/journal"
	"github.com/aguiws/aguiws/adapter/internal/lifecycle"
	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/internal/tracing"
	"github.com/aguiws/aguiws/protocol"
)

// suspend ends the run with interrupts, in one commit with the ask's entry,
// and seals it. It returns ErrSuspended when that is stored.
// refs are the agent's own ids of them; nil: it has none. before is journaled before the
// ask, unless it is nil.
func (x *execution) suspend(ask *store.JournalEntry, interrupts []protocol.Interrupt, refs []string, before *store.JournalEntry) error {
	users, err := x.users()
	if err != nil {
		return err
	}
	s := store.Suspension{Execution: x.id, RunID: x.Claim.RunID, Label: x.label, Agent: x.named, Users: users, Caller: x.frozen.Caller}
	var toolCalls, reasons []string
	for i := range interrupts {
		id := x.interruptID(ask)
		interrupts[i].ID = id
		if ask.Login != nil {
			showLogin(x.node, &interrupts[i], x.Claim.Thread.Thread, ask.Login)
		}
		interrupts[i] = showMode(interrupts[i], ask.Calls)
		deadline := deadlineOf(interrupts[i], x.node.Options.MaxPark)
		if ask.Child != nil {
			deadline = time.Time{} // it waits for as long as what was called goes on
		}
		if interrupts[i].ExpiresAt == "" && !deadline.IsZero() {
			interrupts[i].ExpiresAt = deadline.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
		}
		shown, err := json.Marshal(interrupts[i])
		if err != nil {
			return fmt.Errorf("adapter: Ask: %w", err)
		}
		it := store.SuspendedInterrupt{ID: id, Interrupt: shown, Login: ask.Login, By: journal.AskedBy(ask)}
		if refs != nil {
			it.Ref = refs[i]
		}
		if ask.Child != nil {
			x.waitFor(&it, ask)
		}
		if !deadline.IsZero() {
			it.ExpiresAt, it.OnExpiry = deadline.UnixMilli(), string(expiryPolicy(interrupts[i], x.node.Options.OnExpiry))
			if grace := ownExpiryOf(interrupts[i]).Grace; grace > 0 && it.OnExpiry != string(adapter.ExpiryKeep) {
				it.Due = it.ExpiresAt + grace
			}
			if it.OnExpiry == string(adapter.ExpiryAnswer) {
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
	x.node.Reached("mid_suspend")
	err = x.end(&store.End{
		Kind:       store.EndSuspend,
		Suspension: text,
		Interrupts: ask.IDs,
		ToolCalls:  toolCalls,
		Reasons:    reasons,
		Quiet:      journal.AsksNobody(ask),
		Deadline:   deadline(&s),
		Expires:    s.Expires(),
		Summaries:  summaries(x.node, interrupts, s.Items),
	}, x.asking(before, ask), &protocol.RunFinished{
		ThreadID: x.Claim.Thread.Thread,
		RunID:    x.label,
		Outcome:  &protocol.RunOutcome{Type: protocol.OutcomeInterrupt, Interrupts: interrupts},
		Usage:    x.usage,
	})
	if err != nil {
		return err
	}
	return x.seal(adapter.ErrSuspended)
}

// asking are the entries of an ask, which has the trace context of its run for the run that
// goes on.
func (x *execution) asking(before, ask *store.JournalEntry) []*store.JournalEntry {
	if x.node.Traces != nil {
		ask.Trace, _ = tracing.Context(x.Ctx)
	}
	if before != nil {
		return []*store.JournalEntry{before, ask}
	}
	return []*store.JournalEntry{ask}
}

// interruptID is a new id. That of a wait for an event follows from its token.
func (x *execution) interruptID(ask *store.JournalEntry) string {
	if journal.AskedBy(ask) == store.AskedByEvent {
		return event.Wait{Execution: x.id, Key: ask.Key}.Interrupt()
	}
	return uuid.NewString()
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

// showMode tells clients what a resolved decision does to the call that an interrupt is
// about, unless it is what they expect. A replay does not compare it, just as it does not
// compare what a login needs.
func showMode(i protocol.Interrupt, calls []store.SuspendedCall) protocol.Interrupt {
	for _, c := range calls {
		if c.ID == i.ToolCallID && adapter.ResumeMode(c.Mode) != adapter.ReplayToolCall {
			return lifecycle.WithOwn(i, "resumeMode", c.Mode)
		}
	}
	return i
}

// showLogin puts into an interrupt what a login needs, which a configuration may word
// otherwise by the next replay: it is no part of what a replay compares.
func showLogin(n *node.Node, i *protocol.Interrupt, thread string, of *store.Login) {
	scopes, _ := json.Marshal(of.Scopes)
	text := func(s string) json.RawMessage {
		t, _ := json.Marshal(s)
		return t
	}
	title := n.Options.Logins.Title(of.Provider)
	i.Message = "Sign in at " + title + " to go on."
	i.Metadata = protocol.Metadata{
		"authorizeUrl": text(n.Options.Logins.URL(thread, i.ID)), "provider": text(of.Provider), "providerTitle": text(title),
	}
	if len(of.Scopes) > 0 {
		i.Metadata["scopes"] = scopes
	}
}

// LookAfter is after what time it is looked what became of a call, if nobody has told.
const LookAfter = 5 * time.Second

// waitFor makes an interrupt one that waits for what the ask has called. The journal keeps of
// that no more than its name.
func (x *execution) waitFor(it *store.SuspendedInterrupt, ask *store.JournalEntry) {
	c := *ask.Child
	in := *c.Input
	in.ParentRunID = x.label
	c.Input, c.User, c.Tenant, c.Asked = &in, x.frozen.User, x.frozen.Tenant, time.Now().UnixMilli()
	it.Child, it.Due = &c, c.Asked+LookAfter.Milliseconds()
	ask.Child = &store.Child{Thread: c.Thread, Agent: c.Agent}
	x.called = true
}
