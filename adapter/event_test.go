package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

var paid = json.RawMessage(`{"type":"object","properties":{"amount":{"type":"integer"}},"required":["amount"]}`)

// payee hands the token of an event out, waits for it and says what has come.
func payee(after time.Duration, tokens chan<- string) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		e, err := run.Event(ctx, "payment", paid)
		if err != nil {
			return err
		}
		tokens <- e.Token
		var until time.Time
		if after > 0 {
			until = run.Now().Add(after)
		}
		switch payload, err := e.Wait(ctx, until); {
		case errors.Is(err, adapter.ErrEventExpired):
			return run.Say("expired")
		case errors.Is(err, adapter.ErrWaitCancelled):
			return run.Say("cancelled")
		case err != nil:
			return err
		default:
			return run.Say("got " + string(payload))
		}
	})
}

// awaiting is a lab whose run waits for an event, the event's token, and the interrupt.
func awaiting(t *testing.T, after time.Duration, configure ...func(*runner.Options)) (l *lab, token, id string) {
	t.Helper()
	tokens := make(chan string, 10)
	l = newLab(t, payee(after, tokens), configure...)
	open := interrupts(t, l.say("hi"))
	if len(open) != 1 || open[0].Reason != adapter.ReasonEvent {
		t.Fatalf("asked %+v", open)
	}
	return l, <-tokens, open[0].ID
}

// sends sends an event, and returns the disposition or the refusal's code.
func (l *lab) sends(token, payload string) string {
	l.t.Helper()
	e, ok := l.runner.OpenEvent(token)
	if !ok {
		l.t.Fatalf("%q is no token", token)
	}
	a, err := l.runner.SendEvent(l.ctx(), e, json.RawMessage(payload))
	if err != nil {
		l.t.Fatal(err)
	}
	if a.Refusal != nil {
		if told := a.Refusal.Message + string(a.Refusal.Metadata["aguiws"]); strings.Contains(told, l.key.Thread+" ") || strings.Contains(told, "nterruptId") || strings.Contains(told, "runId") {
			l.t.Errorf("whoever has the token is told %s", told)
		}
		return a.Refusal.Code
	}
	return string(a.Disposition)
}

func TestEventEndsTheWait(t *testing.T) {
	l, token, _ := awaiting(t, time.Hour)
	for _, bad := range []string{`{}`, `{"amount":"1"}`, `null`} {
		if got := l.sends(token, bad); got != adapter.CodePayloadInvalid {
			t.Errorf("%s: %s", bad, got)
		}
	}
	if got := l.sends(token, `{"amount":7}`); got != string(admission.Started) {
		t.Fatal(got)
	}
	l.said(`got {"amount":7}`)
	l.wellFormed()
	if got := l.sends(token, ` { "amount" : 7 } `); got != string(admission.Repeat) {
		t.Errorf("again: %s", got)
	}
	if got := l.sends(token, `{"amount":8}`); got != adapter.CodeEventConflict {
		t.Errorf("another: %s", got)
	}
	page, err := l.runner.Decisions(l.ctx(), store.DecisionQuery{AllTenants: true})
	if err != nil || len(page.Decisions) != 1 || !strings.Contains(string(page.Decisions[0].Body), `"through":"event"`) {
		t.Errorf("on record %+v %v", page.Decisions, err)
	}
	if ok, err := l.store.Delete(l.ctx(), l.key, store.Deletion{}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if got := l.sends(token, `{"amount":7}`); got != adapter.CodeEventOver {
		t.Errorf("of a deleted thread: %s", got)
	}
}

func TestEventThatDoesNotCome(t *testing.T) {
	l, token, _ := awaiting(t, 20*time.Millisecond)
	l.said("expired")
	if got := l.sends(token, `{"amount":7}`); got != adapter.CodeEventOver {
		t.Error(got)
	}
}

// Without a time of its own a wait is as long as any question's.
func TestEventWithoutATime(t *testing.T) {
	l, _, _ := awaiting(t, 0, func(o *runner.Options) { o.MaxPark = 20 * time.Millisecond })
	l.said("expired")
}

func TestEventIsAnsweredByNobody(t *testing.T) {
	l, token, id := awaiting(t, time.Hour)
	refusedWith(t, l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(id, `{"amount":7}`)}}), adapter.CodeInvalidInput)
	refused := l.submit(user("more"))
	refusedWith(t, refused, adapter.CodePending)
	if !strings.Contains(refused.Refusal.Message, "waits for a time, an event or another agent") {
		t.Errorf("a message is told %q", refused.Refusal.Message)
	}
	succeeded(t, l.answer(cancelled(id)))
	if got := l.texts(); len(got) != 1 || got[0] != "cancelled" {
		t.Errorf("texts %q", got)
	}
	if got := l.sends(token, `{"amount":7}`); got != adapter.CodeEventOver {
		t.Error(got)
	}
}

// An event asks nobody: it is in no inbox, and nobody is told of it. Operators see it.
func TestEventAsksNobody(t *testing.T) {
	l, _, id := awaiting(t, time.Hour)
	if open, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{Namespace: l.key.Namespace}}); err != nil || len(open) != 0 {
		t.Errorf("the inbox has %+v, %v", open, err)
	}
	if thread, err := l.runner.Thread(l.ctx(), l.key); err != nil || thread.Open == nil || thread.Open.Interrupts[0].ID != id || thread.Open.Interrupts[0].By != store.AskedByEvent {
		t.Errorf("%+v, %v", thread, err)
	}
}

// A run that waits for a time or an event is cancelled as any that waits: its agent is not
// called again.
func TestCancelOfAWait(t *testing.T) {
	for name, cancel := range map[string]func(l *lab) (bool, error){
		"by its label": func(l *lab) (bool, error) {
			c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", bySocket)
			return c.Stopped, err
		},
		"with all": func(l *lab) (bool, error) {
			all, err := l.runner.StopAll(l.ctx(), l.key, "enough", bySocket)
			return all.Waiting != "", err
		},
	} {
		t.Run("an event "+name, func(t *testing.T) {
			l, token, _ := awaiting(t, time.Hour)
			if stopped, err := cancel(l); err != nil || !stopped {
				t.Fatal(stopped, err)
			}
			endedCancelled(t, l.untilEnd())
			if got := l.texts(); len(got) != 0 {
				t.Errorf("texts %q", got)
			}
			if got := l.sends(token, `{"amount":7}`); got != adapter.CodeEventOver {
				t.Error(got)
			}
		})
		t.Run("a timer "+name, func(t *testing.T) {
			l := newLab(t, sleeper(time.Hour))
			interrupts(t, l.say("hi"))
			if stopped, err := cancel(l); err != nil || !stopped {
				t.Fatal(stopped, err)
			}
			endedCancelled(t, l.untilEnd())
			if got := l.texts(); len(got) != 0 {
				t.Errorf("texts %q", got)
			}
		})
	}
}

// An event that comes before the run waits is to be sent again, and every replay has the
// same token, whatever else the agent waits for.
func TestEventThatComesEarly(t *testing.T) {
	tokens := make(chan string, 10)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		first, err := run.Event(ctx, "e", nil)
		if err != nil {
			return err
		}
		second, err := run.Event(ctx, "e", nil)
		if err != nil {
			return err
		}
		if first.Token == second.Token || !strings.HasSuffix(second.URL, adapter.EventsPath+second.Token) {
			t.Errorf("%+v %+v", first, second)
		}
		tokens <- second.Token
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		payload, err := second.Wait(ctx, run.Now().Add(time.Hour))
		if err != nil {
			return err
		}
		if _, err := second.Wait(ctx, run.Now().Add(time.Hour)); err == nil || errors.Is(err, adapter.ErrSuspended) {
			t.Errorf("waited for twice: %v", err)
		}
		return run.Say("got " + string(payload))
	}))
	open := interrupts(t, l.say("hi"))
	token := <-tokens
	if got := l.sends(token, `1`); got != adapter.CodeEventEarly {
		t.Errorf("before: %s", got)
	}
	interrupts(t, l.answer(resolved(open[0].ID, `{"approved":true}`)))
	if again := <-tokens; again != token {
		t.Errorf("a replay has %q, and before it was %q", again, token)
	}
	if got := l.sends(token, `null`); got != string(admission.Started) {
		t.Fatal(got)
	}
	l.said("got null")
}

func TestEventsThatCannotBe(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for _, name := range []string{"", "a b", "ä", strings.Repeat("n", 65)} {
			if _, err := run.Event(ctx, name, nil); err == nil {
				t.Errorf("an event is called %q", name)
			}
		}
		if _, err := run.Event(ctx, "e", json.RawMessage(strings.Repeat(`{"items":`, 500)+"true"+strings.Repeat("}", 500))); err == nil {
			t.Error("a schema that is none is taken")
		}
		e, err := run.Event(ctx, "e", nil)
		if err != nil {
			return err
		}
		_, err = adapter.Step(ctx, run, "s", func(ctx context.Context) (int, error) {
			if _, err := run.Event(ctx, "e", nil); err == nil {
				t.Error("an event is made inside of a step")
			}
			_, err := e.Wait(ctx, run.Now().Add(time.Hour))
			return 0, err
		})
		if err == nil || errors.Is(err, adapter.ErrSuspended) {
			t.Errorf("Wait inside of a step: %v", err)
		}
		return nil
	}))
	succeeded(t, l.say("hi"))
}

// A goroutine that waits goes on with the event.
func TestEventInBlockingMode(t *testing.T) {
	l, token, _ := awaiting(t, time.Hour, func(o *runner.Options) { o.Mode = runner.ModeBlocking })
	if got := l.sends(token, `{"amount":7}`); got != string(admission.Started) {
		t.Fatal(got)
	}
	l.said(`got {"amount":7}`)
}

// Tokens are the store's: another node takes them, and another store does not.
func TestEventOnAnotherNode(t *testing.T) {
	l, token, _ := awaiting(t, time.Hour)
	w := l.worker(l.store, payee(time.Hour, make(chan string, 10)))
	e, ok := w.OpenEvent(token)
	if !ok {
		t.Fatal("another node does not know the token")
	}
	if a, err := w.SendEvent(l.ctx(), e, json.RawMessage(`{"amount":7}`)); err != nil || a.Disposition != admission.Started {
		t.Fatal(a, err)
	}
	l.said(`got {"amount":7}`)
	other, _, _ := awaiting(t, time.Hour)
	if _, ok := other.runner.OpenEvent(token); ok {
		t.Error("another store knows the token")
	}
}
