package adapter_test

import (
	"context"
	"encoding/json"
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

// figures are numbers of which a double would make others, or other texts.
const figures = `[9007199254740993,1.0,1e400,-0,0.1000000000000000055511151231257827,1234567890123456789012345678901234567890]`

// transfer has a field for each way to hold a number.
type transfer struct {
	Account  int64           `json:"account,omitempty"`
	Exact    json.Number     `json:"exact,omitempty"`
	Any      any             `json:"any,omitempty"`
	Raw      json.RawMessage `json:"raw,omitempty"`
	Rounding float64         `json:"rounding,omitempty"`
	List     []float64       `json:"list,omitempty"`
}

// transferrer calls the tool with the last message as its arguments.
func transferrer(t *testing.T, done *[]string) adapter.Agent {
	tool, err := adapter.Tool[transfer, any]{Name: "transfer", Do: func(_ context.Context, call adapter.Invocation, in transfer) (any, error) {
		text, err := json.Marshal(in)
		*done = append(*done, string(text))
		return in, err
	}}.Define()
	if err != nil {
		t.Fatal(err)
	}
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		call, err := tool.Call(json.RawMessage(m[len(m)-1].Content.String()))
		if err != nil {
			return run.Say(err.Error())
		}
		outcomes, err := adapter.CallTools(ctx, run, call)
		if err != nil {
			return err
		}
		return run.Say(string(outcomes[0].Status) + " " + outcomes[0].Reason)
	})
}

// A tool gets the numbers that were approved, or is not called.
func TestToolGetsApprovedNumbers(t *testing.T) {
	for args, refused := range map[string]string{
		`{"account":9007199254740993}`:                           "",
		`{"exact":9007199254740993}`:                             "",
		`{"exact":1e400}`:                                        "",
		`{"any":` + figures + `}`:                                "",
		`{"raw":{"deep":` + figures + `}}`:                       "",
		`{"rounding":0.1}`:                                       "",
		`{"rounding":9007199254740992,"list":[1.5,2]}`:           "",
		`{"rounding":9007199254740993}`:                          "/rounding the number 9007199254740993 would become 9007199254740992",
		`{"rounding":0.1000000000000000055511151231257827}`:      "/rounding the number",
		`{"list":[1,9007199254740993]}`:                          "/list/1 the number",
		`{"rounding":1e400}`:                                     "/rounding the number 1e400 does not fit",
		`{"account":1.0}`:                                        "/account the number 1.0 does not fit",
		`{"account":123456789012345678901234567890123456789012}`: "12345678901234567890",
	} {
		t.Run(args, func(t *testing.T) {
			var done []string
			l := newLab(t, transferrer(t, &done))
			events := l.say(args)
			if refused != "" {
				if got := l.texts()[0]; !strings.Contains(got, refused) {
					t.Errorf("said %q", got)
				}
			} else {
				succeeded(t, l.answer(resolved(interrupts(t, events)[0].ID, `{"approved":true}`)))
				if !slices.Equal(done, []string{args}) {
					t.Errorf("carried out with %q, approved was %q", done, args)
				}
			}

			// The same as what a human gives.
			done = nil
			l = newLab(t, transferrer(t, &done))
			open := interrupts(t, l.say(`{}`))
			succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true,"editedArgs":`+args+`}`)))
			switch got := l.texts()[0]; {
			case refused == "" && !slices.Equal(done, []string{args}):
				t.Errorf("carried out with %q, given was %q", done, args)
			case refused != "" && (done != nil || !strings.HasPrefix(got, "failed ") || !strings.Contains(got, refused)):
				t.Errorf("carried out with %q, said %q", done, got)
			}
		})
	}
}

// Answers, recorded results and state keep the text of their numbers, in any as well,
// and in the replay of another worker.
func TestNumbersAreTexts(t *testing.T) {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		result, err := adapter.Step(ctx, run, "figures", func(context.Context) (any, error) { return json.RawMessage(figures), nil })
		if err != nil {
			return err
		}
		if err := run.SetState(result); err != nil {
			return err
		}
		answers, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonInputRequired, ResponseSchema: protocol.Any(`{"type":"array"}`)})
		if err != nil {
			return err
		}
		var answer any
		if _, err := answers.Of[0].Decode(&answer); err != nil {
			return err
		}
		text, err := json.Marshal([]any{run.Input().State, result, answer})
		if err != nil {
			return err
		}
		return run.Say(string(text))
	})
	l := newLab(t, agent)
	l.begins(&protocol.RunAgentInput{State: protocol.Any(`{"n":` + figures + `}`)})
	open := interrupts(t, l.untilEnd())
	l.replace(agent)
	succeeded(t, l.answer(resolved(open[0].ID, figures)))
	want := fmt.Sprintf(`[{"n":%s},%s,%s]`, figures, figures, figures)
	if got := l.texts(); !slices.Equal(got, []string{want}) {
		t.Errorf("said %q\nwant %q", got, want)
	}
	th, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || string(th.State) != figures {
		t.Errorf("the state is %s, %v", th.State, err)
	}
}

// A client that reads numbers as doubles sends what is left of the state with each of
// its inputs: that changes nothing. Another number does.
func TestStateIsNotRounded(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("ok") }))
	for i, c := range []struct{ sent, want string }{
		{`{"n":9007199254740993}`, `{"n":9007199254740993}`},
		{`{"n":9007199254740992}`, `{"n":9007199254740993}`}, // what is left of it
		{`{"n":9007199254740994}`, `{"n":9007199254740994}`},
		{`{"n":9007199254740995}`, `{"n":9007199254740995}`},
		{`{"n":9007199254740996}`, `{"n":9007199254740995}`},
		{`{ }`, `{"n":9007199254740995}`},
		{`{"n":1e400}`, `{"n":1e400}`},
		{`{"n":null}`, `{"n":1e400}`}, // what is left of that
		{`{"n":0}`, `{"n":0}`},
	} {
		in := user(fmt.Sprint(i))
		in.State = protocol.Any(c.sent)
		l.begins(in)
		succeeded(t, l.untilEnd())
		if th, err := l.runner.Thread(l.ctx(), l.key); err != nil || string(th.State) != c.want {
			t.Errorf("after %s the state is %s, %v, want %s", c.sent, th.State, err, c.want)
		}
	}
}

// A replay that asks about another number is another path.
func TestAskIsComparedExactly(t *testing.T) {
	const odd, even = `{"const":9007199254740993}`, `{"const":9007199254740992}`
	for name, c := range map[string]struct {
		asked, replay string
		diverges      bool
	}{
		"the same":          {odd, odd, false},
		"another":           {odd, even, true},
		"written otherwise": {`{"const":1.0}`, `{"const":1}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			schema := c.asked
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonInputRequired, ResponseSchema: protocol.Any(schema)})
				return err
			})
			l := newLab(t, agent)
			open := interrupts(t, l.say("hi"))
			var answer struct{ Const json.RawMessage }
			if err := json.Unmarshal([]byte(c.asked), &answer); err != nil {
				t.Fatal(err)
			}
			schema = c.replay
			events := l.answer(resolved(open[0].ID, string(answer.Const)))
			if c.diverges {
				failedWith(t, events, adapter.CodeReplayDiverged)
			} else {
				succeeded(t, events)
			}
		})
	}
}

// An answer that waits for the others is shown, and given, as it was entered.
func TestDraftKeepsItsNumbers(t *testing.T) {
	var got []byte
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		answers, err := run.Ask(ctx, confirmation("one"), confirmation("two"))
		if err == nil {
			got, _ = answers.Of[0].Payload()
		}
		return err
	}))
	open := interrupts(t, l.say("hi"))
	give := func(id, payload string) operate.Answered {
		t.Helper()
		a, err := l.runner.Answer(l.ctx(), l.key, "", "", "label", []protocol.ResumeEntry{resolved(id, payload)}, store.Origin{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	if a := give(open[0].ID, figures); len(a.Missing) != 1 {
		t.Fatalf("%+v", a)
	}
	th, err := l.runner.Thread(l.ctx(), l.key)
	if err != nil || string(th.Open.Interrupts[0].Draft.Payload) != figures {
		t.Errorf("the draft is %s, %v", th.Open.Interrupts[0].Draft.Payload, err)
	}
	if a := give(open[1].ID, `true`); a.Admitted.Disposition != admission.Started {
		t.Fatalf("%+v", a)
	}
	succeeded(t, l.untilEnd())
	if string(got) != figures {
		t.Errorf("the agent got %s", got)
	}
}
