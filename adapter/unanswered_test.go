package adapter_test

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/fold"
)

func cancelling(o *runner.Options) { o.Unanswered = runner.UnansweredCancel }

// inquirer asks two things of every message that says so, and answers others.
func inquirer() adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		if last := m[len(m)-1].Content.String(); !strings.HasPrefix(last, "ask") {
			return run.Say("to " + last)
		}
		if _, err := run.Ask(ctx, confirmation("one?"), confirmation("two?")); err != nil {
			return err
		}
		return run.Say("went on")
	})
}

// A new message under open questions is refused, or ends what asked and is answered.
func TestUnansweredPolicies(t *testing.T) {
	for _, test := range []struct {
		name      string
		configure func(*runner.Options)
		input     func(open []protocol.Interrupt) *protocol.RunAgentInput
		code      string // of the refusal; "": it begins, and the questions are gone
	}{
		{"refused by default", func(*runner.Options) {}, func([]protocol.Interrupt) *protocol.RunAgentInput { return user("next") }, adapter.CodePending},
		{"refused as set", func(o *runner.Options) { o.Unanswered = runner.UnansweredRefuse }, func([]protocol.Interrupt) *protocol.RunAgentInput { return user("next") }, adapter.CodePending},
		{"cancelled", cancelling, func([]protocol.Interrupt) *protocol.RunAgentInput { return user("next") }, ""},
		{"cancelled with an empty resume", cancelling, func([]protocol.Interrupt) *protocol.RunAgentInput {
			in := user("next")
			in.Resume = []protocol.ResumeEntry{}
			return in
		}, ""},
		{"cancelled for the agent", func(o *runner.Options) {
			o.UnansweredBy = map[string]runner.UnansweredPolicy{"": runner.UnansweredCancel}
		}, func([]protocol.Interrupt) *protocol.RunAgentInput { return user("next") }, ""},
		{"refused for the agent", func(o *runner.Options) {
			cancelling(o)
			o.UnansweredBy = map[string]runner.UnansweredPolicy{"": runner.UnansweredRefuse}
		}, func([]protocol.Interrupt) *protocol.RunAgentInput { return user("next") }, adapter.CodePending},
		{"a bare run cancels nothing", cancelling, func([]protocol.Interrupt) *protocol.RunAgentInput { return &protocol.RunAgentInput{} }, adapter.CodePending},
		{"neither do messages that are known", cancelling, func([]protocol.Interrupt) *protocol.RunAgentInput { return user("ask") }, adapter.CodePending},
		{"nor the result of a tool", cancelling, func([]protocol.Interrupt) *protocol.RunAgentInput {
			return &protocol.RunAgentInput{Messages: protocol.Messages{{ID: "result", Role: protocol.RoleTool, ToolCallID: "c", Content: protocol.Text("x")}}}
		}, adapter.CodePending},
		{"nor an answer that leaves some out", cancelling, func(open []protocol.Interrupt) *protocol.RunAgentInput {
			in := user("next")
			in.Resume = []protocol.ResumeEntry{cancelled(open[0].ID)}
			return in
		}, adapter.CodeUncovered},
		{"nor an answer to what was never asked", cancelling, func([]protocol.Interrupt) *protocol.RunAgentInput {
			in := user("next")
			in.Resume = []protocol.ResumeEntry{cancelled("nobody's")}
			return in
		}, adapter.CodeUnknownInterrupt},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, inquirer(), test.configure)
			open := interrupts(t, l.say("ask"))
			a := l.submit(test.input(open))
			still := func() int {
				f := l.runner.Follow(l.key, func() {})
				defer f.Close()
				at, err := f.Attach(l.ctx(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return len(at.Interrupts)
			}
			if test.code != "" {
				refusedWith(t, a, test.code)
				if still() != 2 {
					t.Errorf("%d questions are open", still())
				}
				succeeded(t, l.answer(resolved(open[0].ID, "1"), resolved(open[1].ID, "1")))
				return
			}
			if a.Disposition != admission.Started {
				t.Fatalf("%s %+v", a.Disposition, a.Refusal)
			}
			succeeded(t, l.untilEnd())
			l.wellFormed()
			if got := l.texts(); !slices.Equal(got, []string{"to next"}) {
				t.Errorf("texts %q", got)
			}
			if still() != 0 {
				t.Errorf("%d questions are open", still())
			}
			// Whoever answers now learns that it was answered; who cancels too is told so.
			refusedWith(t, l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1"), resolved(open[1].ID, "1")}}), adapter.CodeConflict)
			late := &protocol.RunAgentInput{Resume: []protocol.ResumeEntry{cancelled(open[0].ID), cancelled(open[1].ID)}}
			if again := l.submit(late); again.Disposition != admission.Repeat || again.RunID != a.RunID {
				t.Errorf("%+v", again)
			}
		})
	}
}

func TestUnansweredPoliciesThatAreNone(t *testing.T) {
	for name, configure := range map[string]func(*runner.Options){
		"policy":           func(o *runner.Options) { o.Unanswered = "ignore" },
		"agent's policy":   func(o *runner.Options) { o.UnansweredBy = map[string]runner.UnansweredPolicy{"": "ignore"} },
		"agent's name":     func(o *runner.Options) { o.UnansweredBy = map[string]runner.UnansweredPolicy{"clerc": "cancel"} },
		"no policy at all": func(o *runner.Options) { o.UnansweredBy = map[string]runner.UnansweredPolicy{"": ""} },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, inquirer())
			o := &runner.Options{Agents: map[string]adapter.Agent{"": inquirer()}}
			configure(o)
			if r, err := runner.New(l.store, o); err == nil {
				l.abandon(r)
				t.Error("it is taken")
			}
		})
	}
}

// The policy is that of the agent which is to answer the message.
func TestUnansweredByAgent(t *testing.T) {
	l := newLab(t, inquirer(), func(o *runner.Options) {
		o.Agents["clerk"], o.Agents["judge"] = inquirer(), inquirer()
		o.UnansweredBy = map[string]runner.UnansweredPolicy{"clerk": runner.UnansweredCancel}
	})
	for agent, want := range map[string]runner.UnansweredPolicy{"": runner.UnansweredRefuse, "judge": runner.UnansweredRefuse, "clerk": runner.UnansweredCancel} {
		if got := l.runner.Unanswered(agent); got != want {
			t.Errorf("%q: %s", agent, got)
		}
	}
	to := func(agent, text string) admission.Admitted {
		in := user(text)
		in.ThreadID, in.RunID = l.key.Thread, "run-"+text
		a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Agent: agent, Run: in})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	to("clerk", "ask")
	interrupts(t, l.untilEnd())
	refusedWith(t, to("judge", "next"), adapter.CodePending)
	if a := to("clerk", "next"); a.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	succeeded(t, l.untilEnd())
}

// Sent again, the message is a repeat; so is the one that led to the question.
func TestUnansweredIsRepeated(t *testing.T) {
	l := newLab(t, inquirer(), cancelling)
	first := l.submit(user("ask"))
	interrupts(t, l.untilEnd())
	again := user("ask")
	again.RunID = "run-1"
	if a := l.submit(again); a.Disposition != admission.Repeat || a.RunID != first.RunID {
		t.Fatalf("what led to the question, sent again: %+v", a)
	}
	next := user("ask more")
	next.RunID = "next"
	begun := l.begins(next)
	interrupts(t, l.untilEnd())
	// Its own questions are not cancelled by what led to them.
	for range 2 {
		if a := l.submit(next); a.Disposition != admission.Repeat || a.RunID != begun.RunID {
			t.Fatalf("%+v", a)
		}
	}
	if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"ask", "ask more"}) {
		t.Errorf("messages %q", got)
	}
}

// Of two pages that write at once one ends what asked, and the other waits its turn;
// an answer that comes first is carried out, and one that comes later conflicts.
func TestUnansweredByTwoPages(t *testing.T) {
	l := newLab(t, inquirer(), cancelling)
	interrupts(t, l.say("ask"))
	var both sync.WaitGroup
	got := make([]admission.Admitted, 2)
	for i, text := range []string{"left", "right"} {
		in := user(text)
		in.ThreadID, in.RunID = l.key.Thread, "run-"+text
		both.Go(func() {
			var err error
			if got[i], err = l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	for _, a := range got {
		if a.Disposition != admission.Started && a.Disposition != admission.Queued {
			t.Fatalf("%+v", a)
		}
	}
	succeeded(t, l.untilEnd())
	succeeded(t, l.untilEnd())
	if texts := l.texts(); len(texts) != 2 || slices.Contains(texts, "went on") {
		t.Errorf("texts %q", texts)
	}

	open := interrupts(t, l.say("ask again"))
	l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1"), resolved(open[1].ID, "1")}})
	if a := l.submit(user("next")); a.Disposition != admission.Started && a.Disposition != admission.Queued {
		t.Fatalf("%+v", a)
	}
	succeeded(t, l.untilEnd())
	succeeded(t, l.untilEnd())
	if texts := l.texts(); !slices.Contains(texts, "went on") {
		t.Errorf("the answer was not carried out: %q", texts)
	}
}

// Whoever may not approve may turn away from the question.
func TestUnansweredWithSeparateDuties(t *testing.T) {
	l := newLab(t, clerk(), separate, cancelling)
	l.as(ann, user("pay"))
	interrupts(t, l.untilEnd())
	if a := l.as(ann, user("never mind")); a.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	interrupts(t, l.untilEnd())
}

// A page that goes back to before the question takes the question's messages out.
func TestUnansweredWithRewind(t *testing.T) {
	l := newLab(t, inquirer(), cancelling)
	succeeded(t, l.say("hi"))
	interrupts(t, l.say("ask"))
	in := user("hi")
	in.Messages = append(in.Messages, protocol.Message{ID: l.idOf("to hi"), Role: protocol.RoleAssistant, Content: protocol.Text("to hi")})
	in.Messages = append(in.Messages, user("other").Messages...)
	l.begins(in)
	succeeded(t, l.untilEnd())
	if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"hi", "other"}) {
		t.Errorf("messages %q", got)
	}
	// A page that still holds what was taken out says nothing new.
	interrupts(t, l.say("ask more"))
	refusedWith(t, l.submit(user("ask")), adapter.CodePending)
}

// idOf is the id of the message with a text.
func (l *lab) idOf(text string) string {
	l.t.Helper()
	f := fold.New(nil, nil)
	for _, e := range l.got {
		if err := f.Apply(e); err != nil {
			l.t.Fatal(err)
		}
	}
	for _, m := range f.Messages() {
		if m.Content.String() == text {
			return m.ID
		}
	}
	l.t.Fatalf("no message says %q", text)
	return ""
}

// What waits behind the question goes on waiting: it was said before the question was
// shown. A later message goes before it, or with StopAll in its place.
func TestUnansweredWithAQueue(t *testing.T) {
	for name, stops := range map[string]bool{"a later message goes first": false, "in the place of what waits": true} {
		t.Run(name, func(t *testing.T) {
			ask := make(chan struct{})
			first := sync.OnceFunc(func() { <-ask })
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				first()
				return inquirer().Run(ctx, run)
			}), cancelling)
			l.submit(user("ask"))
			l.queues(user("early"))
			close(ask)
			interrupts(t, l.untilEnd())
			a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "late", StopAll: stops})
			if err != nil || a.Disposition != admission.Started {
				t.Fatalf("%+v %v", a, err)
			}
			want := []string{"to late", "to early"}
			if stops {
				want = want[:1]
			}
			l.until(func(e protocol.Event) bool { return isEnd(e) && len(l.texts()) == len(want) })
			if got := l.texts(); !slices.Equal(got, want) {
				t.Errorf("texts %q", got)
			}
		})
	}
}

// What is to begin later cancels nothing now.
func TestUnansweredIsNotForLater(t *testing.T) {
	l := newLab(t, inquirer(), cancelling)
	interrupts(t, l.say("ask"))
	a, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "tomorrow",
		Dispatch: admission.DispatchOptions{Available: time.Now().Add(24 * time.Hour)}})
	if err != nil {
		t.Fatal(err)
	}
	refusedWith(t, a, adapter.CodePending)
}

// A question about a step that may have taken effect is turned away from like others,
// and the log says so.
func TestUnansweredUncertainStep(t *testing.T) {
	var dying *cutStore
	ran := 0
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if m := run.Input().Messages; m[len(m)-1].Content.String() == "next" {
			return run.Say("fine")
		}
		_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) {
			if ran++; ran == 1 {
				dying.sever()
			}
			return ran, nil
		})
		return err
	})
	var log logged
	l := newLab(t, agent, cancelling, func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	dying = l.cutAfter(l.store, -1)
	l.beginOn(l.worker(dying, agent), "hi", "run-0")
	if open := interrupts(t, l.untilEnd()); open[0].Reason != adapter.ReasonUncertainStep {
		t.Fatalf("%+v", open)
	}
	succeeded(t, l.say("next"))
	if ran != 1 {
		t.Errorf("the step ran %d times", ran)
	}
	if said := log.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "may have taken effect") || !strings.Contains(said, "steps=[pay#1]") {
		t.Errorf("the log says %s", said)
	}
}

// An agent that waits in memory is let go.
func TestUnansweredWhileBlocking(t *testing.T) {
	l := newLab(t, inquirer(), cancelling, func(o *runner.Options) { o.Mode = runner.ModeBlocking })
	interrupts(t, l.say("ask"))
	succeeded(t, l.say("next"))
	if got := l.texts(); !slices.Equal(got, []string{"to next"}) {
		t.Errorf("texts %q", got)
	}
}

// Two nodes may be set otherwise while settings are rolled out: each goes by its own.
func TestUnansweredOnTwoNodes(t *testing.T) {
	l := newLab(t, inquirer())
	interrupts(t, l.say("ask"))
	refusedWith(t, l.submit(user("next")), adapter.CodePending)
	other, err := runner.New(deaf{l.store}, &runner.Options{
		Agents: map[string]adapter.Agent{"": inquirer()}, Lease: leaseInTests, Sweep: soon, Unanswered: runner.UnansweredCancel})
	if err != nil {
		t.Fatal(err)
	}
	l.abandon(other)
	l.beginOn(other, "next", "run-next")
	succeeded(t, l.untilEnd())
}
