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
	"github.com/aguiws/aguiws/protocol"
)

type payment struct {
	To     string `json:"to" jsonschema:"who gets it"`
	Amount int    `json:"amount"`
	Note   string `json:"note,omitempty"`
}

type receipt struct {
	Paid int `json:"paid"`
}

func payTool(paid *[]payment) adapter.Tool[payment, receipt] {
	return adapter.Tool[payment, receipt]{
		Name: "pay", Description: "Pays somebody",
		Policy: func(p payment) adapter.Policy {
			switch {
			case p.Amount <= 5:
				return adapter.PolicyAllow
			case p.Amount > 1000:
				return adapter.PolicyDeny
			}
			return adapter.PolicyAsk
		},
		Message: func(p payment) string { return fmt.Sprintf("Pay %d to %s?", p.Amount, p.To) },
		Do: func(_ context.Context, call adapter.Invocation, p payment) (receipt, error) {
			*paid = append(*paid, p)
			return receipt{p.Amount}, nil
		},
	}
}

// payer calls the tool with the arguments in the last message, and says the
// result.
func payer(t *testing.T, paid *[]payment) adapter.Agent {
	pay, err := payTool(paid).Define()
	if err != nil {
		t.Fatal(err)
	}
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		m := run.Input().Messages
		call, err := pay.Call(json.RawMessage(m[len(m)-1].Content.String()))
		if err != nil {
			return run.Say(err.Error())
		}
		outcomes, err := adapter.CallTools(ctx, run, call)
		if err != nil {
			return err
		}
		return run.Say(string(outcomes[0].Status) + string(outcomes[0].Result))
	})
}

func TestToolPolicies(t *testing.T) {
	for args, want := range map[string]string{
		`{"to":"ada","amount":5}`:       `executed{"paid":5}`,
		`{"to":"ada","amount":5000}`:    `denied{"executed":false,"denied":true}`,
		`{"to":"ada"}`:                  "adapter: arguments of pay: ",
		`{"to":"ada","amount":"5"}`:     "adapter: arguments of pay: /amount",
		`{"to":"ada","amount":5,"x":1}`: "adapter: arguments of pay: ",
	} {
		t.Run(args, func(t *testing.T) {
			var paid []payment
			l := newLab(t, payer(t, &paid))
			succeeded(t, l.say(args))
			texts := l.texts()
			if got := texts[len(texts)-1]; !strings.HasPrefix(got, want) {
				t.Errorf("said %q, want %q", got, want)
			}
		})
	}
}

// Edited arguments are checked against the tool's own schema before anything
// runs.
func TestToolEdited(t *testing.T) {
	var paid []payment
	l := newLab(t, payer(t, &paid))
	open := interrupts(t, l.say(`{"to":"ada","amount":50}`))
	if open[0].Message != "Pay 50 to ada?" {
		t.Errorf("asked %q", open[0].Message)
	}
	for _, bad := range []string{
		`{"approved":true,"editedArgs":{"to":"ada"}}`,
		`{"approved":true,"editedArgs":{"to":"ada","amount":"all"}}`,
		`{"approved":true,"editedArgs":{"to":"ada","amount":1,"secret":1}}`,
	} {
		a := l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, bad)}})
		if a.Disposition != admission.Refused || a.Refusal.Code != adapter.CodePayloadInvalid {
			t.Errorf("%s: %s", bad, a.Disposition)
		}
	}
	succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true,"editedArgs":{"to":"bob","amount":7}}`)))
	if !slices.Equal(paid, []payment{{To: "bob", Amount: 7}}) {
		t.Errorf("paid %+v", paid)
	}
}

func TestToolSchema(t *testing.T) {
	var paid []payment
	pay, err := payTool(&paid).Define()
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties map[string]struct{ Description string }
		Required   []string
	}
	if err := json.Unmarshal(pay.Schema().Parameters, &schema); err != nil {
		t.Fatal(err)
	}
	slices.Sort(schema.Required)
	if !slices.Equal(schema.Required, []string{"amount", "to"}) || schema.Properties["to"].Description != "who gets it" {
		t.Errorf("schema %s", pay.Schema().Parameters)
	}
	if _, err := (adapter.Tool[int, int]{Name: "n"}).Define(); err == nil {
		t.Error("a tool of a number was defined")
	}
}

// The other ways to use a decision.
func TestResumeModes(t *testing.T) {
	for mode, want := range map[adapter.ResumeMode]string{
		adapter.UseDecisionAsToolResult: `executed "as it is" `,
		adapter.PassDecisionToTool:      `executed {"told":"as it is"} true`,
	} {
		t.Run(string(mode), func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				called := ""
				outcomes, err := adapter.CallTools(ctx, run, adapter.ToolCall{
					Name: "ask", Mode: mode, ResponseSchema: protocol.Any(`{"type":"string"}`),
					Do: func(_ context.Context, call adapter.Invocation) (rawJSON, error) {
						payload, resolved := call.Decision.Payload()
						called = fmt.Sprint(resolved)
						return json.Marshal(map[string]rawJSON{"told": payload})
					},
				})
				if err != nil {
					return err
				}
				return run.Say(fmt.Sprintf("%s %s %s", outcomes[0].Status, outcomes[0].Result, called))
			}))
			open := interrupts(t, l.say("hi"))
			succeeded(t, l.answer(resolved(open[0].ID, `"as it is"`)))
			texts := l.texts()
			if got := texts[len(texts)-1]; got != want {
				t.Errorf("said %q, want %q", got, want)
			}
		})
	}
}
