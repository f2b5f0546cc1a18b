package adapter_test

import (
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// What is done about a question of the server's own is done to those that it asked, and not
// to what an agent words as one.
func TestOwnQuestionsAreKnownByWhoAsked(t *testing.T) {
	l := newLab(t, asker(protocol.Interrupt{Reason: adapter.ReasonPaused, Message: "?"}))
	l.as(ann, user("hi"))
	interrupts(t, l.untilEnd())
	if on, err := l.runner.Unpause(l.ctx(), l.key, "acme", ann, "on", store.Origin{}, nil); on || err != nil {
		t.Errorf("an agent's question was answered as a pause: %v %v", on, err)
	}
	if state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); state != operate.PauseNothing || err != nil {
		t.Errorf("an agent's question is taken for a pause: %q %v", state, err)
	}

	l = newLab(t, asker(protocol.Interrupt{Reason: adapter.ReasonAuthRequired, Message: "?"}))
	l.as(ann, user("hi"))
	open := interrupts(t, l.untilEnd())
	a, err := l.runner.AnswerLogin(l.ctx(), operate.LoginAnswer{Thread: l.key, Interrupt: open[0].ID, Tenant: "acme", User: ann})
	if err != nil {
		t.Fatal(err)
	}
	refusedWith(t, a, adapter.CodeLoginRequired)
}
