package adapter_test

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
)

func TestWhoFollowsADeletedThreadIsToldThatItIsEmpty(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	l.say("hello")
	before := l.cursor.Position()
	if ok, err := l.runner.DeleteThread(l.ctx(), l.key, "", store.Origin{}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	for {
		page, err := l.cursor.Next(l.ctx())
		if err != nil {
			t.Fatal(err)
		}
		if page.Restated == nil {
			select {
			case <-l.woken:
			case <-l.ctx().Done():
				t.Fatal("the follower was not told")
			}
			continue
		}
		if !page.Deleted || page.Restated.Reason != follow.ReasonEpochChanged || l.cursor.Position().Epoch == before.Epoch || l.cursor.Position().Seq != 0 {
			t.Errorf("%+v at %+v", page.Restated, l.cursor.Position())
		}
		break
	}
	l.got = nil
	succeeded(t, l.say("hello again"))
	l.wellFormed()
}

// Who comes too late to see that a thread was deleted finds its next life.
func TestWhoFollowsAThreadThatWasBegunAgainIsRestated(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(context.Context, *adapter.Run) error { return nil }))
	l.say("hello")
	if ok, err := l.runner.DeleteThread(l.ctx(), l.key, "", store.Origin{}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	l.submit(user("again"))
	for {
		page, err := l.cursor.Next(l.ctx())
		if err != nil {
			t.Fatal(err)
		}
		if page.Restated != nil {
			if page.Deleted || len(page.Restated.Restatement) == 0 {
				t.Errorf("%+v", page)
			}
			return
		}
		select {
		case <-l.woken:
		case <-l.ctx().Done():
			t.Fatal("the follower was not told")
		}
	}
}

func TestTheInboxFindsSuspensionsByTheReasonsOfTheirInterrupts(t *testing.T) {
	question := confirmation("?")
	question.Reason = "acme:budget"
	l := newLab(t, asker(confirmation("?"), question, question))
	open := interrupts(t, l.say("go"))
	for reason, want := range map[string]int{"": 1, "confirmation": 1, "acme:budget": 1, "tool_call": 0} {
		items, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Reason: reason}})
		if err != nil || len(items) != want {
			t.Errorf("%q: %+v, %v", reason, items, err)
		}
	}
	l.answer(resolved(open[0].ID, "1"), resolved(open[1].ID, "1"), resolved(open[2].ID, "1"))
	if items, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Reason: "acme:budget"}}); err != nil || len(items) != 0 {
		t.Errorf("answered: %+v, %v", items, err)
	}
}
