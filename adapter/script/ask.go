package script

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// maxParallel bounds /parallel.
const maxParallel = 50

func (a *agent) tool(ctx context.Context, run *adapter.Run, argument string) error {
	name, args, _ := strings.Cut(argument, " ")
	if args = strings.TrimSpace(args); args == "" {
		args = "{}"
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(args), &object); err != nil || object == nil || name == "" {
		return stream(run, "Usage: /tool NAME JSON, with a JSON object of arguments.")
	}
	return a.calls(ctx, run, adapter.ToolCall{Name: name, Args: json.RawMessage(args), Do: a.carryOut})
}

// delete proposes a call that cannot be undone.
func (a *agent) delete(ctx context.Context, run *adapter.Run, name string) error {
	if name == "" {
		return stream(run, "Usage: /delete NAME.")
	}
	args, err := json.Marshal(map[string]any{"name": name, "force": true})
	if err != nil {
		return err
	}
	return a.calls(ctx, run, adapter.ToolCall{Name: "delete_database", Args: args, Destructive: true, Do: a.carryOut})
}

func (a *agent) parallel(ctx context.Context, run *adapter.Run, argument string) error {
	n, err := strconv.Atoi(argument)
	if err != nil || n < 1 || n > maxParallel {
		return stream(run, "Usage: /parallel N, with N from 1 to 50.")
	}
	calls := make([]adapter.ToolCall, n)
	for i := range calls {
		calls[i] = adapter.ToolCall{
			Name: fmt.Sprintf("task_%d", i+1),
			Args: json.RawMessage(fmt.Sprintf(`{"number":%d}`, i+1)),
			Do:   a.carryOut,
		}
	}
	return a.calls(ctx, run, calls...)
}

// calls proposes calls and says what became of each.
func (a *agent) calls(ctx context.Context, run *adapter.Run, calls ...adapter.ToolCall) error {
	outcomes, err := adapter.CallTools(ctx, run, calls...)
	if err != nil {
		return err
	}
	said := make([]string, len(outcomes))
	for i, o := range outcomes {
		name := calls[i].Name
		if o.Status != adapter.ToolFailed {
			if said[i] = outcomeOf(name, o.Args, o.Status == adapter.ToolExecuted); said[i] != "" {
				continue
			}
		}
		switch o.Status {
		case adapter.ToolExecuted:
			said[i] = "I have called " + name + "."
		case adapter.ToolDeclined:
			said[i] = name + " was declined, so I have not called it."
		case adapter.ToolCancelled:
			said[i] = "The question about " + name + " was cancelled, so I have not called it."
		case adapter.ToolExpired:
			said[i] = "Nobody answered in time about " + name + ", so I have not called it."
		default:
			said[i] = name + " failed: " + o.Reason
		}
	}
	return stream(run, strings.Join(said, " "))
}

var formSchema = protocol.Any(`{"type":"object","title":"Quarterly figures","properties":{` +
	`"quarter":{"type":"string","title":"Quarter","enum":["Q1","Q2","Q3","Q4"]},` +
	`"year":{"type":"integer","title":"Year","minimum":2000},` +
	`"revenue":{"type":"number","title":"Revenue"}},` +
	`"required":["quarter","year","revenue"],"additionalProperties":false}`)

const quarterly = "Please fill in the quarterly figures."

func (a *agent) form(ctx context.Context, run *adapter.Run, _ string) error {
	return fill(ctx, run, quarterly, formSchema, echo(figuresOf))
}

var dateSchema = protocol.Any(`{"type":"object","title":"Appointment","properties":{` +
	`"date":{"type":"string","title":"Date","format":"date"}},"required":["date"],"additionalProperties":false}`)

func (a *agent) date(ctx context.Context, run *adapter.Run, _ string) error {
	return fill(ctx, run, "Which day?", dateSchema, echo(dayOf))
}

// echo says an answer in a sentence for people, and as JSON for those who look for it.
func echo(sentence func(entered json.RawMessage) (string, error)) func(entered json.RawMessage) (string, error) {
	return func(entered json.RawMessage) (string, error) {
		said, err := sentence(entered)
		return said + "\n\n```json\n" + string(entered) + "\n```", err
	}
}

func figuresOf(entered json.RawMessage) (string, error) {
	var of struct {
		Quarter string      `json:"quarter"`
		Year    json.Number `json:"year"`
		Revenue json.Number `json:"revenue"`
	}
	err := json.Unmarshal(entered, &of)
	return fmt.Sprintf("Thank you. The revenue of %s %s was %s.", of.Quarter, of.Year, of.Revenue), err
}

func dayOf(entered json.RawMessage) (string, error) {
	var of struct {
		Date string `json:"date"`
	}
	err := json.Unmarshal(entered, &of)
	return "Thank you. The day is " + of.Date + ".", err
}

// fill asks for a form, and streams what reply says of it.
func fill(ctx context.Context, run *adapter.Run, text string, schema protocol.Any, reply func(entered json.RawMessage) (string, error)) error {
	answers, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonInputRequired, Message: text, ResponseSchema: schema})
	if err != nil {
		return err
	}
	entered, resolved := answers.Of[0].Payload()
	switch {
	case answers.Of[0].Expired():
		return stream(run, "Nobody filled in the form in time.")
	case !resolved:
		return stream(run, "The form was cancelled.")
	}
	said, err := reply(entered)
	if err != nil {
		return err
	}
	return stream(run, said)
}

func (a *agent) confirm(ctx context.Context, run *adapter.Run, text string) error {
	return confirm(ctx, run, text, "")
}

func (a *agent) expire(ctx context.Context, run *adapter.Run, argument string) error {
	seconds, err := strconv.Atoi(argument)
	if err != nil || seconds < 0 || seconds > 365*24*3600 {
		return stream(run, "Usage: /expire SECONDS.")
	}
	at := run.Now().Add(time.Duration(seconds) * time.Second).UTC()
	return confirm(ctx, run, "Please confirm before this expires.", at.Format(time.RFC3339Nano))
}

func confirm(ctx context.Context, run *adapter.Run, text, expiresAt string) error {
	if text == "" {
		text = "Please confirm."
	}
	answers, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: text, ExpiresAt: expiresAt})
	if err != nil {
		return err
	}
	return stream(run, outcome(answers.Of[0]))
}

// outcome says what the answer to a confirmation was. Without a schema, to
// resolve it is to confirm.
func outcome(answer adapter.Answer) string {
	payload, resolved := answer.Payload()
	switch {
	case answer.Expired() && !answer.Approved():
		return "Nobody answered in time."
	case !resolved:
		return "Cancelled."
	case payload == nil || answer.Approved():
		return "Confirmed."
	}
	return "Declined."
}

func (a *agent) twice(ctx context.Context, run *adapter.Run, _ string) error {
	for _, question := range []string{"First question: go on?", "Second question: still go on?"} {
		answers, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: question})
		if err != nil {
			return err
		}
		if _, resolved := answers.Of[0].Payload(); !resolved {
			return stream(run, outcome(answers.Of[0]))
		}
	}
	return stream(run, "Asked twice, answered twice.")
}
