package adapter_test

import (
	"context"
	"encoding/json"
	"fmt"
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

const month = 30 * 24 * time.Hour

// parked asks one question without a time, and says what became of it.
func parked(change func(protocol.Interrupt) protocol.Interrupt) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		answers, err := run.Ask(ctx, change(confirmation("sure?")))
		if err != nil {
			return err
		}
		payload, resolved := answers.Of[0].Payload()
		return run.Say(fmt.Sprint(resolved, " ", string(payload), " ", answers.Of[0].Expired()))
	})
}

func as(i protocol.Interrupt) protocol.Interrupt { return i }

// A question that its agent gave no time to expires when it has waited for MaxPark, and
// clients are shown when that is.
func TestMaxPark(t *testing.T) {
	for name, test := range map[string]struct {
		configure func(*runner.Options)
		change    func(protocol.Interrupt) protocol.Interrupt
		after     time.Duration
		want      string // what the agent says; "": it is failed
	}{
		"cancelled after the default": {func(o *runner.Options) { o.OnExpiry = adapter.ExpiryCancel }, as, month, "false  true"},
		"cancelled after a time":      {func(o *runner.Options) { o.OnExpiry, o.MaxPark = adapter.ExpiryCancel, time.Hour }, as, time.Hour, "false  true"},
		"failed":                      {func(o *runner.Options) { o.OnExpiry = adapter.ExpiryFail }, as, month, ""},
		"answered as the agent has it": {func(*runner.Options) {}, func(i protocol.Interrupt) protocol.Interrupt {
			return adapter.OnExpiry(i, adapter.Expiry{Answer: json.RawMessage(`{"approved":true}`)})
		}, month, `true {"approved":true} true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t, parked(test.change), test.configure)
			open := interrupts(t, l.say("hi"))
			items, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{}})
			if err != nil || len(items) != 1 || items[0].Interrupts[0].Stale {
				t.Fatalf("%+v %v", items, err)
			}
			if shown, _ := time.Parse(time.RFC3339, open[0].ExpiresAt); !shown.Equal(items[0].Interrupts[0].ExpiresAt) {
				t.Errorf("it expires at %s, and clients are shown %q", items[0].Interrupts[0].ExpiresAt, open[0].ExpiresAt)
			}
			if left := time.Until(items[0].Interrupts[0].ExpiresAt); left > test.after || left < test.after-time.Minute {
				t.Errorf("it expires in %s", left)
			}
			l.forward(test.after + time.Second)
			events := l.untilEnd()
			if test.want == "" {
				failedWith(t, events, adapter.CodeExpired)
				return
			}
			succeeded(t, events)
			if got := l.texts(); len(got) != 1 || got[0] != test.want {
				t.Errorf("texts %q", got)
			}
			l.wellFormed()
		})
	}
}

// What is kept open beyond its time can be cancelled by a new message, whatever is said of
// messages that answer nothing; before, and where one of two has time left, it cannot.
func TestStaleQuestionIsCancelledByAMessage(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		if text := m[len(m)-1].Content.String(); text != "ask" {
			return run.Say("instead: " + text)
		}
		long := confirmation("long")
		long.ExpiresAt = time.Now().Add(2 * month).UTC().Format(time.RFC3339)
		_, err := run.Ask(ctx, confirmation("short"), long)
		return err
	})
	l := newLab(t, agent)
	interrupts(t, l.say("ask"))
	message := func() admission.Admitted {
		return l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{ID: "new", Role: protocol.RoleUser, Content: protocol.Text("never mind")}}})
	}
	for _, forward := range []time.Duration{0, month + time.Minute} {
		l.forward(forward)
		if a := message(); a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodePending {
			t.Fatalf("after %s: %s %+v", forward, a.Disposition, a.Refusal)
		}
	}
	l.forward(month)
	if a := message(); a.Disposition != admission.Started {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	succeeded(t, l.untilEnd())
	if got := l.texts(); len(got) != 1 || got[0] != "instead: never mind" {
		t.Errorf("texts %q", got)
	}
	l.wellFormed()
}

// A message that comes between the deadline and the sweep takes nothing from a question
// that has a policy of its own for it.
func TestMessageBeforeTheSweepCancelsNoPolicy(t *testing.T) {
	for name, change := range map[string]func(protocol.Interrupt) protocol.Interrupt{
		"answer": func(i protocol.Interrupt) protocol.Interrupt {
			return adapter.OnExpiry(i, adapter.Expiry{Answer: json.RawMessage(`{"approved":true}`)})
		},
		"cancel": func(i protocol.Interrupt) protocol.Interrupt {
			return adapter.OnExpiry(i, adapter.Expiry{Policy: adapter.ExpiryCancel})
		},
		"fail": func(i protocol.Interrupt) protocol.Interrupt {
			return adapter.OnExpiry(i, adapter.Expiry{Policy: adapter.ExpiryFail})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, parked(change), func(o *runner.Options) { o.Sweep = time.Hour })
			interrupts(t, l.say("ask"))
			l.forward(month + time.Minute)
			a := l.submit(&protocol.RunAgentInput{Messages: protocol.Messages{{ID: "new", Role: protocol.RoleUser, Content: protocol.Text("never mind")}}})
			if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodePending {
				t.Errorf("%s %+v", a.Disposition, a.Refusal)
			}
		})
	}
}

// Without MaxPark a question waits for ever.
func TestWithoutMaxPark(t *testing.T) {
	l := newLab(t, parked(as), func(o *runner.Options) { o.MaxPark, o.OnExpiry = -1, adapter.ExpiryCancel })
	open := interrupts(t, l.say("hi"))
	l.forward(10 * month)
	succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true}`)))
	if got := l.texts(); got[0] != `true {"approved":true} false` {
		t.Errorf("texts %q", got)
	}
}

// An answer for the expiry that could not be one is refused when it is asked.
func TestAnswerOnExpiryIsChecked(t *testing.T) {
	for name, test := range map[string]struct {
		answer  string
		maxPark time.Duration
		want    string
	}{
		"it does not fit":    {`{"approved":"yes"}`, 0, "does not fit its responseSchema"},
		"it is missing":      {``, 0, "there is no answer"},
		"it has no time":     {`{"approved":true}`, -1, "does not expire"},
		"a name comes twice": {`{"approved":true,"approved":false}`, 0, "the answer for its expiry"},
	} {
		t.Run(name, func(t *testing.T) {
			said := make(chan error, 1)
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				i := confirmation("sure?")
				i.ResponseSchema = protocol.Any(`{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}`)
				i.Metadata = protocol.Metadata{"aguiws": json.RawMessage(`{"onExpiry":"answer"}`)}
				if test.answer != "" {
					i.Metadata["aguiws"] = json.RawMessage(`{"onExpiry":"answer","expiryAnswer":` + test.answer + `}`)
				}
				_, err := run.Ask(ctx, i)
				said <- err
				return run.Say("refused")
			}), func(o *runner.Options) { o.MaxPark = test.maxPark })
			succeeded(t, l.say("hi"))
			if err := <-said; err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A call that nobody has decided about in time has expired, and was not declined.
func TestToolCallExpires(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		outcomes, err := adapter.CallTools(ctx, run, adapter.ToolCall{ID: "call", Name: "pay", Expiry: adapter.Expiry{Answer: json.RawMessage(`{"approved":false}`)},
			Do: func(context.Context, adapter.Invocation) (json.RawMessage, error) {
				return nil, fmt.Errorf("it is carried out")
			}})
		if err != nil {
			return err
		}
		return run.Say(fmt.Sprint(outcomes[0].Status, " ", string(outcomes[0].Result)))
	}))
	interrupts(t, l.say("hi"))
	l.forward(month + time.Second)
	succeeded(t, l.untilEnd())
	if got := l.texts(); len(got) != 1 || got[0] != `expired {"executed":false,"expired":true}` {
		t.Errorf("texts %q", got)
	}
}
