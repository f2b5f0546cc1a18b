// Package demo is the assistant of the command: an agent with a model, and with tools that
// show what there is to see on the page. It really sends and books nothing.
package demo

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/protocol"
)

const instructions = "You are a friendly assistant in a chat. Be brief. Call a tool where one does what is asked for, " +
	"several at once where nothing keeps one from the other: the human is asked for approval, and for what is missing in a form, by what carries the tools out, " +
	"so do not ask before. Say what has been done, and what has not."

// Identity says who the agent is, and what it may be asked for.
func Identity(model string) protocol.IdentityCapabilities {
	return protocol.IdentityCapabilities{
		Name: "assistant", Type: "aguiws:assistant",
		Description: "Answers with " + model + ". Ask it for the time somewhere, to remember something, to send an email, which you approve, or to book a table, for which you fill in a form.",
	}
}

// New returns the assistant, of the model that the options name. effects is the file to
// which an email and a booking append a line; "" is none.
func New(o llm.Options, effects string) (*llm.Agent, error) {
	t := tools{effects}
	o.Instructions, o.TellState = cmp.Or(o.Instructions, instructions), true
	o.Tools = []llm.Tool{
		llm.Define(adapter.Tool[place, string]{
			Name: "current_time", Description: "Tells the date and time", Policy: llm.NeverAsk[place], Idempotent: true, Do: now,
		}),
		llm.Define(adapter.Tool[note, string]{
			Name: "remember", Description: "Keeps a note in the state of this conversation", Policy: llm.NeverAsk[note], Idempotent: true, Do: remember,
		}),
		llm.Define(adapter.Tool[email, string]{
			Name: "send_email", Description: "Sends an email",
			Message: func(m email) string { return fmt.Sprintf("Send this email to %s?", m.To) },
			Do: func(_ context.Context, call adapter.Invocation, m email) (string, error) {
				return "sent to " + m.To, t.leave(call)
			},
		}),
		llm.Form[booking, string]{
			Name: "book_table", Description: "Books a table in a restaurant", Message: "Which table is to be booked?",
			Do: func(_ context.Context, call adapter.Invocation, b booking) (string, error) {
				return fmt.Sprintf("booked: %s, %d people, %s", b.Restaurant, b.People, b.When), t.leave(call)
			},
		}.Define(),
	}
	return llm.New(o)
}

type place struct {
	Zone string `json:"zone,omitempty" jsonschema:"a time zone such as Europe/Paris; UTC when left out"`
}

type note struct {
	Text string `json:"text" jsonschema:"what to remember"`
}

type email struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

type booking struct {
	Restaurant string `json:"restaurant"`
	People     int    `json:"people"`
	When       string `json:"when" jsonschema:"day and time"`
}

func now(_ context.Context, _ adapter.Invocation, p place) (string, error) {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		return "", fmt.Errorf("there is no time zone %.80q", p.Zone)
	}
	return time.Now().In(zone).Format(time.RFC1123Z), nil
}

// remember adds to the notes of the state, whatever else that holds.
func remember(ctx context.Context, _ adapter.Invocation, n note) (string, error) {
	run := llm.RunOf(ctx)
	state := map[string]json.RawMessage{}
	var notes []string
	if json.Unmarshal(run.State(), &state) != nil || state == nil {
		state = map[string]json.RawMessage{} // it is no object, and cannot hold notes
	}
	_ = json.Unmarshal(state["notes"], &notes) // what are no texts is no note
	text, err := json.Marshal(append(notes, n.Text))
	if err != nil {
		return "", err
	}
	state["notes"] = text
	return "remembered", run.SetState(state)
}

type tools struct{ effects string }

// leave appends what was carried out to the file of effects.
func (t tools) leave(call adapter.Invocation) error {
	if t.effects == "" {
		return nil
	}
	line, err := json.Marshal(map[string]any{"tool": call.Name, "args": call.Args, "key": call.IdempotencyKey})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.effects, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("effects file: %w", err)
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("effects file: %w", err)
	}
	return f.Close()
}
