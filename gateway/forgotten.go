package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// ReasonForgotten is the reason of the interrupt that asks what is to become of an answer to
// a question that the agent does not know any more.
const ReasonForgotten = "aguiws:question_forgotten"

// These are what a human says of it.
const (
	askAgain  = "ask_again"
	sendAgain = "send_again"
	giveUp    = "give_up"
)

var forgottenSchema = protocol.Any(`{"type":"object","properties":{"action":{"type":"string","enum":["ask_again","send_again","give_up"],` +
	`"description":"ask_again: the agent is sent the conversation anew. send_again: it is sent the same answer once more. give_up: the run ends."}},` +
	`"required":["action"],"additionalProperties":false}`)

var forgottenAnswers = json.RawMessage(`[{"label":"Ask the agent again","payload":{"action":"ask_again"}},` +
	`{"label":"Send the answer again","payload":{"action":"send_again"}},{"label":"Give up","payload":{"action":"give_up"}}]`)

// forgotten goes on behind answers to what the agent has forgotten, as a human says.
func (c *call) forgotten(ctx context.Context, asked outcome, answers adapter.Answers) (outcome, error) {
	gone := outcome{Failure: failed(CodeForgotten, "the agent does not know the question any more, and has done nothing with the answer")}
	if !slices.ContainsFunc(answers.Of, func(a adapter.Answer) bool { _, resolved := a.Payload(); return resolved }) {
		return gone, nil // nothing is lost
	}
	for {
		said, err := c.run.Ask(ctx, asked.asksOfForgotten())
		if err != nil {
			return outcome{}, err
		}
		c.spend(outcome{})
		var reply struct{ Action string }
		if payload, resolved := said.Of[0].Payload(); resolved {
			_ = json.Unmarshal(payload, &reply) // it fits the schema
		}
		switch reply.Action {
		case askAgain:
			return c.anew(ctx)
		case sendAgain:
			again, err := c.answer(ctx, asked, answers)
			if err != nil || again.Failure == nil || !again.Failure.Forgotten {
				return again, err
			}
		default:
			return gone, nil
		}
	}
}

func (o *outcome) asksOfForgotten() protocol.Interrupt {
	about := "a question"
	if text := o.Interrupts[0].Message; text != "" {
		about = fmt.Sprintf("“%s”", label(text))
	}
	if more := len(o.Interrupts) - 1; more > 0 {
		about += fmt.Sprintf(" and %d more", more)
	}
	own, _ := json.Marshal(map[string]string{"code": CodeForgotten}) // of a string
	return protocol.Interrupt{
		Reason: ReasonForgotten,
		Message: "The agent does not know its question any more, and has done nothing with the answer to " + about +
			". It may have been started anew without what it kept. Shall it be asked again, with the whole conversation?",
		ResponseSchema: forgottenSchema,
		Metadata:       protocol.Metadata{answersKey: forgottenAnswers, ownKey: own},
	}
}

// anew sends the conversation as a new run's.
func (c *call) anew(ctx context.Context) (outcome, error) {
	c.thread, c.upTo = c.u.threadID(c.run), ""
	r := request{ids: ids{c.thread, c.run.NewID()}, anew: true}
	do := c.asking(func() (outcome, error) { return c.noted(c.all(r)) })
	said, err := decided(adapter.StepWith(ctx, c.run, "run", adapter.StepOptions{Idempotent: !c.u.options.AskLost, Before: c.place(&r)}, do))
	c.spend(said)
	return said, err
}

// withoutOpenCalls are the messages without the calls behind the user's last one that have no
// result: who forgot them would not know them, and models mind.
func withoutOpenCalls(messages protocol.Messages) protocol.Messages {
	results := map[string]bool{}
	from := len(messages)
	for from > 0 && messages[from-1].Role != protocol.RoleUser {
		from--
		if m := &messages[from]; m.Role == protocol.RoleTool {
			results[m.ToolCallID] = true
		}
	}
	kept := slices.Clone(messages[:from])
	for _, m := range messages[from:] {
		calls := slices.DeleteFunc(slices.Clone(m.ToolCalls), func(call protocol.ToolCall) bool { return !results[call.ID] })
		if len(calls) < len(m.ToolCalls) {
			if m.ToolCalls = calls; len(calls) == 0 {
				m.ToolCalls = nil
				if m.Content == nil {
					continue
				}
			}
		}
		kept = append(kept, m)
	}
	return kept
}
