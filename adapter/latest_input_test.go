package adapter_test

import (
	"context"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/protocol"
)

// brings is what an input brings, as a text to compare.
func brings(in *protocol.RunAgentInput) string {
	text := in.RunID + ":"
	for _, tool := range in.Tools {
		text += " " + tool.Name
	}
	for _, c := range in.Context {
		text += " " + c.Value
	}
	return text + " " + string(in.ForwardedProps)
}

func TestLatestInput(t *testing.T) {
	agent := restartable{func(ctx context.Context, run *adapter.Run) error {
		if in := run.Input(); brings(in) != `run-1: first {"n":1}` {
			return &adapter.UserError{Message: "the first input is " + brings(in)}
		}
		for range 3 {
			if _, err := run.Ask(ctx, confirmation(brings(run.Input()))); err != nil {
				return err
			}
			if err := run.Say("hm"); err != nil {
				return err
			}
		}
		return &adapter.UserError{Message: run.Namespace() + "/" + brings(run.LatestInput())}
	}}
	l := newLab(t, agent)
	first := user("hi")
	first.Tools = []protocol.Tool{{Name: "first", Parameters: protocol.Any(`{}`)}}
	first.ForwardedProps = protocol.Any(`{"n":1}`)
	l.submit(first)
	open := interrupts(t, l.untilEnd())
	// One that brings nothing leaves what was there.
	open = interrupts(t, l.answer(resolved(open[0].ID, "true")))
	l.submit(&protocol.RunAgentInput{
		Context:        []protocol.Context{{Description: "d", Value: "c"}},
		ForwardedProps: protocol.Any(`{"n":2}`), Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")},
	})
	open = interrupts(t, l.untilEnd())
	// The last is taken over.
	w := l.worker(l.cutBefore(l.store, protocol.TypeTextMessageStart), agent)
	a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: &protocol.RunAgentInput{
		ThreadID: l.key.Thread, RunID: "run-4", ForwardedProps: protocol.Any(`{}`),
		Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true")},
	}})
	if err != nil || a.Disposition != admission.Started {
		t.Fatalf("%+v %v", a, err)
	}
	events := l.untilEnd()
	if e, failed := events[len(events)-1].(*protocol.RunError); !failed || e.Message != `test/run-4: c {"n":2}` {
		t.Errorf("ended %s", show(events))
	}
}

// A command that was taken for an answer is not brought a second time.
func TestLatestInputWithoutItsAnswer(t *testing.T) {
	for props, want := range map[string]string{
		`{"n":1.0,"command":{"resume":true,"interruptEvent":{},"mode":"fast"}}`: `{"command":{"mode":"fast"},"n":1.0}`,
		`{"n":1.0,"command":{"resume":true}}`:                                   `{"n":1.0}`,
		`{"command":{"resume":true}}`:                                           ``,
	} {
		l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if _, err := run.Ask(ctx, confirmation("?")); err != nil {
				return err
			}
			return run.Say(string(run.LatestInput().ForwardedProps))
		}))
		l.submit(user("hi"))
		l.untilEnd()
		a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Commands: true, Run: &protocol.RunAgentInput{
			ThreadID: l.key.Thread, RunID: "answer", ForwardedProps: protocol.Any(props),
		}})
		if err != nil || a.Disposition != admission.Started {
			t.Fatalf("%+v %v", a, err)
		}
		said := ""
		for _, e := range l.untilEnd() {
			if e, ok := e.(*protocol.TextMessageContent); ok {
				said += e.Delta
			}
		}
		if said != want {
			t.Errorf("%s is brought as %s", props, said)
		}
	}
}

func TestMessagesOfNow(t *testing.T) {
	ids := func(run *adapter.Run) (texts []string) {
		for _, m := range run.Messages() {
			texts = append(texts, m.Content.String())
		}
		return texts
	}
	seen := make(chan []string, 2)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Emit(&protocol.TextMessageStart{MessageID: run.NewID()}); err != nil {
			return err
		}
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			seen <- ids(run)
			return err
		}
		if err := run.Say("after"); err != nil {
			return err
		}
		seen <- ids(run)
		return nil
	}))
	open := interrupts(t, l.say("hi"))
	asked := await(l, seen) // the question is logged before the agent has returned
	in := user("besides")
	in.Resume = []protocol.ResumeEntry{resolved(open[0].ID, "true")}
	l.submit(in)
	succeeded(t, l.untilEnd())
	then := await(l, seen)
	if !slices.Equal(asked, []string{"hi", ""}) || !slices.Equal(then, []string{"hi", "", "besides", "after"}) {
		t.Errorf("seen %q, then %q", asked, then)
	}
}
