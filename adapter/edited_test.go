package adapter_test

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/protocol"
)

// A message that was edited under its id takes the place of what it said, for every
// follower and in the store; what it said is a branch, which is restored as any other. An
// edit is the same when it is sent again, and does not wait behind a run.
func TestEditedUnderItsID(t *testing.T) {
	calls := 0
	l := newLab(t, tallying(&calls))
	edit := func(label, text string) *protocol.RunAgentInput {
		return &protocol.RunAgentInput{RunID: label, Messages: protocol.Messages{{ID: "m-a", Role: protocol.RoleUser, Content: protocol.Text(text)}}}
	}
	want := func(texts string, branches int) {
		t.Helper()
		if _, got := l.held(); got != texts {
			t.Errorf("followers hold %s, want %s", got, texts)
		}
		thread, err := l.runner.Thread(l.ctx(), l.key)
		if err != nil || thread.Messages[0].Content.String() != texts[:1] {
			t.Errorf("stored is %+v, %v", thread, err)
		}
		if n := len(l.branches()); n != branches {
			t.Errorf("%d branches", n)
		}
		l.wellFormed()
	}
	l.say("a")
	l.say("b")
	for i, text := range []string{"c", "d"} {
		l.submit(edit(text, text))
		succeeded(t, l.untilEnd())
		want(text+" | 1: "+text, i+1)
		if a := l.submit(edit(text, text)); a.Disposition != admission.Repeat {
			t.Errorf("again: %s", a.Disposition)
		}
	}
	l.inject(operate.Injection{Restores: l.branches()[1].ID})
	want("a | 1: a | b | 3: b", 2)

	asked := newLab(t, inquirer(), cancelling)
	interrupts(t, asked.say("ask"))
	in := user("no")
	in.Messages[0].ID = "m-ask"
	asked.submit(in)
	succeeded(t, asked.untilEnd())
	if _, got := asked.held(); got != "no | to no" {
		t.Errorf("an edited question is %s", got)
	}

	release := make(chan struct{})
	busy := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { <-release; return nil }))
	busy.submit(user("a"))
	refusedWith(t, busy.submit(edit("c", "c")), adapter.CodeThreadBusy)
	close(release)
	succeeded(t, busy.untilEnd())
}
