package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// produced says of all messages of a thread, by pages, what each is and in which run and step
// it came.
func (l *lab) produced(limit int) string {
	l.t.Helper()
	var out []string
	for before := ""; ; {
		page, err := l.runner.Messages(l.ctx(), l.key, store.MessageQuery{Before: before, Limit: limit})
		if err != nil || page == nil {
			l.t.Fatal(page, err)
		}
		var these []string
		for _, text := range page.Messages {
			var m protocol.Message
			if err := m.UnmarshalJSON(text); err != nil {
				l.t.Fatal(err)
			}
			by := page.Producers[m.ID]
			these = append(these, fmt.Sprintf("%s %s/%s", m.Content, by.RunID, by.Step))
		}
		out = append(these, out...)
		if before = page.Before; before == "" {
			return strings.Join(out, ", ")
		}
	}
}

// A message is told with the run and the step in which it came: of a run that goes on, that was
// stopped, that was continued elsewhere, and when all is stored.
func TestMessagesTellTheRunAndTheStepInWhichTheyCame(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		text := messages[len(messages)-1].Content.String()
		finish, err := run.StartStep("plan")
		if err != nil {
			return err
		}
		if err := run.Say("planned " + text); err != nil {
			return err
		}
		switch text {
		case "ask":
			if _, err := run.Ask(ctx, confirmation("go?")); err != nil {
				return err
			}
		case "wait":
			<-ctx.Done()
			return context.Cause(ctx)
		}
		if err := finish(); err != nil {
			return err
		}
		return run.Say("did " + text)
	})
	l := newLab(t, agent)
	is := func(want ...string) {
		t.Helper()
		for _, limit := range []int{1, 3, 100} {
			if got := l.produced(limit); got != strings.Join(want, ", ") {
				t.Errorf("by pages of %d: %s\nwant %s", limit, got, strings.Join(want, ", "))
			}
		}
	}
	l.say("one")
	want := []string{"one run-1/", "planned one run-1/plan", "did one run-1/"}
	is(want...)

	events := l.say("ask")
	want = append(want, "ask run-2/", "planned ask run-2/plan")
	is(want...)
	l.answer(resolved(events[len(events)-1].(*protocol.RunFinished).Outcome.Interrupts[0].ID, `{"approved":true}`))
	want = append(want, "did ask run-3/")
	is(want...)

	l.submit(user("wait"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	want = append(want, "wait run-4/", "planned wait run-4/plan")
	is(want...)
	if _, err := l.runner.StopAll(l.ctx(), l.key, "test", admission.Actor{}); err != nil {
		t.Fatal(err)
	}
	l.untilEnd()
	is(want...)
	l.replace(agent)
	is(want...)
	l.say("two")
	is(slices.Concat(want, []string{"two run-5/", "planned two run-5/plan", "did two run-5/"})...)

	// What is put in the place of messages came in its own run.
	if _, err := l.runner.Inject(l.ctx(), operate.Injection{Namespace: l.key.Namespace, Thread: l.key.Thread, Text: "again", Label: "rewinds", After: "m-one"}); err != nil {
		t.Fatal(err)
	}
	l.untilEnd()
	is("one run-1/", "again rewinds/", "planned again rewinds/plan", "did again rewinds/")
}
