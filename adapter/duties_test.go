package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

const ann, bob = "acme/ann", "acme/bob"

// clerk asks about a call and, beside it, for something that anybody may say, and
// asks again when the answers brought messages.
func clerk() adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for id := 1; ; id++ {
			call := fmt.Sprint("call-", id)
			if err := run.Emit(&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "pay"}, &protocol.ToolCallEnd{ToolCallID: call}); err != nil {
				return err
			}
			answers, err := run.Ask(ctx,
				protocol.Interrupt{Reason: protocol.ReasonToolCall, ToolCallID: call, Message: "pay?", ResponseSchema: approval}, confirmation("why?"))
			if err != nil {
				return err
			}
			if len(answers.Messages) == 0 {
				return run.Say("done")
			}
		}
	})
}

func separate(o *runner.Options) { o.SeparateDuties = true }

// as submits an input of a user's.
func (l *lab) as(user string, in *protocol.RunAgentInput) admission.Admitted {
	l.t.Helper()
	l.runs++
	in.ThreadID, in.RunID = l.key.Thread, fmt.Sprintf("run-%d", l.runs)
	admitted, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: "acme", User: user, Run: in})
	if err != nil {
		l.t.Fatal(err)
	}
	return admitted
}

func refusedWith(t *testing.T, a admission.Admitted, code string) {
	t.Helper()
	if a.Disposition != admission.Refused || a.Refusal.Code != code {
		t.Fatalf("%s %+v, want %s", a.Disposition, a.Refusal, code)
	}
}

const goAhead = `{"approved":true}`

// Whoever asked for a call may not approve it, and may cancel it; somebody else may,
// and the asker may answer what is no approval.
func TestOwnCallIsNotApproved(t *testing.T) {
	for name, begin := range map[string]func(t *testing.T) *lab{
		"at once": func(t *testing.T) *lab {
			l := newLab(t, clerk(), separate)
			l.as(ann, user("pay"))
			return l
		},
		"queued": func(t *testing.T) *lab {
			first, gate := gated()
			calls := 0
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if calls++; calls == 1 {
					return first.Run(ctx, run)
				}
				return clerk().Run(ctx, run)
			}), separate)
			l.as(bob, user("first"))
			if a := l.as(ann, user("pay")); a.Disposition != admission.Queued {
				t.Fatalf("%+v", a)
			}
			close(gate)
			l.untilEnd()
			return l
		},
		"injected": func(t *testing.T) *lab {
			l := newLab(t, clerk(), separate)
			a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Tenant: "acme", User: ann, Thread: l.key.Thread, Text: "again"})
			if err != nil || a.Disposition != admission.Started {
				t.Fatalf("%+v %v", a, err)
			}
			return l
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := begin(t)
			open := interrupts(t, l.untilEnd())
			both := func(call, why protocol.ResumeEntry) *protocol.RunAgentInput {
				return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{call, why}}
			}
			for who, user := range map[string]string{"the asker": ann, "nobody known": ""} {
				a := l.as(user, both(resolved(open[0].ID, goAhead), resolved(open[1].ID, `1`)))
				refusedWith(t, a, adapter.CodeOwnApproval)
				if got := fmt.Sprint(details(t, a.Refusal)["interruptIds"]); got != "["+open[0].ID+"]" {
					t.Errorf("%s is refused for %s", who, got)
				}
				if strings.Contains(a.Refusal.Message, open[0].ID) {
					t.Errorf("%s is told an id: %s", who, a.Refusal.Message)
				}
				refusedWith(t, l.as(user, both(resolved(open[0].ID, `{"approved":false}`), cancelled(open[1].ID))), adapter.CodeOwnApproval)
			}
			if a := l.as(bob, both(resolved(open[0].ID, goAhead), resolved(open[1].ID, `1`))); a.Disposition != admission.Started {
				t.Fatalf("another is refused: %+v", a.Refusal)
			}
			succeeded(t, l.untilEnd())
			l.as(ann, user("pay again"))
			open = interrupts(t, l.untilEnd())
			if a := l.as(ann, both(cancelled(open[0].ID), resolved(open[1].ID, `1`))); a.Disposition != admission.Started {
				t.Fatalf("the asker may not cancel: %+v", a.Refusal)
			}
			succeeded(t, l.untilEnd())
			l.wellFormed()
		})
	}
}

// Who sends a message with an approval has a part in what is asked next.
func TestMessageWithAnApprovalCountsForWhatFollows(t *testing.T) {
	l := newLab(t, clerk(), separate)
	l.as(ann, user("pay"))
	open := interrupts(t, l.untilEnd())
	in := user("and this one")
	in.Resume = []protocol.ResumeEntry{resolved(open[0].ID, goAhead), resolved(open[1].ID, `1`)}
	if a := l.as(bob, in); a.Disposition != admission.Started {
		t.Fatalf("%+v", a.Refusal)
	}
	open = interrupts(t, l.untilEnd())
	both := []protocol.ResumeEntry{resolved(open[0].ID, goAhead), resolved(open[1].ID, `1`)}
	refusedWith(t, l.as(bob, &protocol.RunAgentInput{Resume: both}), adapter.CodeOwnApproval)
	refusedWith(t, l.as(ann, &protocol.RunAgentInput{Resume: both}), adapter.CodeOwnApproval)
	if a := l.as("acme/cid", &protocol.RunAgentInput{Resume: both}); a.Disposition != admission.Started {
		t.Fatalf("%+v", a.Refusal)
	}
	succeeded(t, l.untilEnd())
}

// A draft is judged by who gives it, and the others may complete it.
func TestDraftOfAnOwnApproval(t *testing.T) {
	l := newLab(t, clerk(), separate)
	l.as(ann, user("pay"))
	open := interrupts(t, l.untilEnd())
	give := func(user string, entry protocol.ResumeEntry) operate.Answered {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "acme", user, "answer", []protocol.ResumeEntry{entry}, store.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	refusedWith(t, give(ann, resolved(open[0].ID, goAhead)).Admitted, adapter.CodeOwnApproval)
	if a := give(ann, resolved(open[1].ID, `1`)); len(a.Missing) != 1 {
		t.Fatalf("%+v", a)
	}
	refusedWith(t, give(ann, resolved(open[0].ID, goAhead)).Admitted, adapter.CodeOwnApproval)
	inbox, err := l.runner.Open(l.ctx(), []store.ThreadKey{l.key})
	if err != nil || inbox[0].Interrupts[1].Draft == nil || len(inbox[0].Interrupts[1].Draft.Metadata) > 0 {
		t.Fatalf("%+v %v", inbox, err)
	}
	if a := give(bob, resolved(open[1].ID, `2`)); len(a.Missing) != 1 {
		t.Fatalf("%+v", a)
	}
	if a := give(bob, resolved(open[0].ID, goAhead)); a.Admitted.Disposition != admission.Started {
		t.Fatalf("%+v %+v", a, a.Admitted.Refusal)
	}
	succeeded(t, l.untilEnd())

	l.as(ann, user("pay again"))
	open = interrupts(t, l.untilEnd())
	if a := give(bob, resolved(open[0].ID, goAhead)); len(a.Missing) != 1 {
		t.Fatalf("%+v", a)
	}
	if a := give(ann, resolved(open[1].ID, `3`)); a.Admitted.Disposition != admission.Started {
		t.Fatalf("ann completes what bob has approved: %+v", a.Admitted.Refusal)
	}
	succeeded(t, l.untilEnd())
}

// What was asked without keeping whose it is can be cancelled only, what is no call is
// anybody's unless the agent says otherwise, and without the option all of it is.
func TestWhatIsAnApproval(t *testing.T) {
	form := protocol.Interrupt{Reason: protocol.ReasonInputRequired, Message: "?", ResponseSchema: protocol.Any(`{"type":"integer"}`)}
	for name, test := range map[string]struct {
		asks     protocol.Interrupt
		asker    string
		separate bool
		refused  bool
	}{
		"a form":                         {form, ann, true, false},
		"a confirmation":                 {confirmation("?"), ann, true, false},
		"a confirmation for another":     {adapter.AnotherResolves(confirmation("?")), ann, true, true},
		"for another, of nobody known":   {adapter.AnotherResolves(confirmation("?")), "", true, true},
		"for another, that expires":      {adapter.OnExpiry(adapter.AnotherResolves(confirmation("?")), adapter.Expiry{Policy: adapter.ExpiryCancel}), ann, true, true},
		"for another without the option": {adapter.AnotherResolves(confirmation("?")), ann, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, asker(test.asks), func(o *runner.Options) { o.SeparateDuties = test.separate })
			l.as(test.asker, user("hi"))
			open := interrupts(t, l.untilEnd())
			answer := &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, `1`)}}
			a := l.as(ann, answer)
			if test.refused {
				refusedWith(t, a, adapter.CodeOwnApproval)
				if test.asker == "" {
					refusedWith(t, l.as(bob, answer), adapter.CodeOwnApproval)
				}
				a = l.as(ann, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(open[0].ID)}})
			}
			if a.Disposition != admission.Started {
				t.Fatalf("%+v", a.Refusal)
			}
			succeeded(t, l.untilEnd())
		})
	}
}

// Confirm takes the marks of an interrupt.
func TestConfirmationOfAnother(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		yes, err := run.Confirm(ctx, "Send it?", adapter.AnotherResolves)
		if err != nil {
			return err
		}
		return run.Say(fmt.Sprint(yes))
	}), separate)
	l.as(ann, user("hi"))
	open := interrupts(t, l.untilEnd())
	yes := &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, goAhead)}}
	refusedWith(t, l.as(ann, yes), adapter.CodeOwnApproval)
	if a := l.as(bob, yes); a.Disposition != admission.Started {
		t.Fatalf("another is refused: %+v", a.Refusal)
	}
	succeeded(t, l.untilEnd())
}

// neverRenewed is a way to the store of a worker whose renewals do not arrive.
type neverRenewed struct{ store.Store }

func (neverRenewed) Renew(context.Context, store.Claim) (bool, error) { return false, errFault }

// A takeover knows whose execution it goes on with.
func TestTakeoverKeepsWhoAsked(t *testing.T) {
	gate, begun := make(chan struct{}), make(chan struct{})
	agent := func(lost bool) adapter.Agent {
		return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if _, err := adapter.StepWith(ctx, run, "look", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
				return err
			}
			if lost {
				close(begun)
				<-gate
			}
			return clerk().Run(ctx, run)
		})
	}
	l := newLab(t, agent(false), separate)
	w := l.worker(neverRenewed{l.store}, agent(true), separate, seldom)
	t.Cleanup(func() { close(gate) })
	in := user("pay")
	in.ThreadID, in.RunID = l.key.Thread, "run-0"
	if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: "acme", User: ann, Run: in}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a.Refusal, err)
	}
	<-begun
	l.lapse()
	for {
		events := l.untilEnd()
		if end, ok := events[len(events)-1].(*protocol.RunFinished); ok {
			refusedWith(t, l.as(ann, &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{
				resolved(end.Outcome.Interrupts[0].ID, goAhead), resolved(end.Outcome.Interrupts[1].ID, `1`)}}), adapter.CodeOwnApproval)
			return
		}
		t.Fatalf("ended %s", show(events))
	}
}

// What is stored of who asked is read by those who know it, and ignored by others.
func TestUserIsAnAddition(t *testing.T) {
	for _, v := range []any{store.RunRecord{}, store.Frozen{}, store.Suspension{}, store.JournalEntry{}} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var members map[string]any
		if err := json.Unmarshal(text, &members); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"user", "users", "tenant"} {
			if _, has := members[name]; has {
				t.Errorf("%T without one has %q", v, name)
			}
		}
	}
}

// Whoever has had a run hear a message has led to what it asks for then, and once it has gone on.
func TestSteeringCountsForWhatFollows(t *testing.T) {
	let := make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (bool, error) {
			select {
			case <-let:
			case <-ctx.Done():
			}
			return true, ctx.Err()
		}); err != nil {
			return err
		}
		if err := tellInjected(ctx, run); err != nil {
			return err
		}
		for id := range 2 {
			call := fmt.Sprint("call-", id)
			if err := run.Emit(&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "pay"}, &protocol.ToolCallEnd{ToolCallID: call}); err != nil {
				return err
			}
			if _, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonToolCall, ToolCallID: call, Message: "pay?", ResponseSchema: approval}); err != nil {
				return err
			}
		}
		return nil
	}), separate)
	l.as(ann, user("pay"))
	in := user("more")
	in.ThreadID, in.RunID = l.key.Thread, "steering"
	if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Tenant: "acme", User: bob, Run: in, When: admission.WhenStep}); err != nil || a.Disposition != admission.Queued {
		t.Fatalf("%+v %v", a, err)
	}
	let <- struct{}{}
	for range 2 {
		open := interrupts(t, l.untilEnd())
		answer := func() *protocol.RunAgentInput {
			return &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, goAhead)}}
		}
		refusedWith(t, l.as(ann, answer()), adapter.CodeOwnApproval)
		refusedWith(t, l.as(bob, answer()), adapter.CodeOwnApproval)
		if a := l.as("acme/carol", answer()); a.Disposition != admission.Started {
			t.Fatalf("%+v", a.Refusal)
		}
	}
	l.ended("steering")
}
