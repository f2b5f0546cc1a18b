package adapter

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Policy says whether a tool call may be carried out.
type Policy string

const (
	PolicyAsk   Policy = ""      // a human decides
	PolicyAllow Policy = "allow" // carried out without asking
	PolicyDeny  Policy = "deny"  // not carried out; the result says so
)

// ResumeMode says what a resolved decision does to a call that was asked about. Clients see
// it as resumeMode in the interrupt's metadata, under "aguiws", unless it is ReplayToolCall.
type ResumeMode string

const (
	// ReplayToolCall carries the call out when the payload has approved true,
	// with editedArgs in place of all its arguments if given; otherwise the
	// result says that it was declined.
	ReplayToolCall ResumeMode = ""
	// UseDecisionAsToolResult takes the payload for the call's result. A ToolCall without a
	// ResponseSchema of its own asks for an approval, and that is then the result.
	UseDecisionAsToolResult ResumeMode = "use_decision_as_tool_result"
	// PassDecisionToTool carries the call out and hands it the decision.
	PassDecisionToTool ResumeMode = "pass_decision_to_tool"
)

// DestructiveKey is the member of a question's metadata that says, by true, that what a yes
// leads to cannot be undone. A question without it says nothing of that.
const DestructiveKey = "destructive"

// approvalSchema is the default response schema of a call.
var approvalSchema = approvalOf(`{"type":"object","description":"Arguments that replace all of the proposed ones"}`)

// approvalOf is the response schema of a call, given the schema of its arguments.
func approvalOf(args string) protocol.Any {
	return protocol.Any(`{"type":"object","properties":{` +
		`"approved":{"type":"boolean","description":"Whether the call may be carried out"},` +
		`"editedArgs":` + args + `,` +
		`"reason":{"type":"string","description":"Why"}},` +
		`"required":["approved"],"additionalProperties":false}`)
}

// ToolCall is a call that an agent proposes.
type ToolCall struct {
	// ID is made by CallTools when empty. A call that is asked about has an ID that no other
	// call of the thread has: models may repeat theirs in each turn.
	ID              string
	ParentMessageID string
	Name            string
	Args            json.RawMessage // an object; nil is {}
	Policy          Policy
	Mode            ResumeMode
	Reason          string       // of the interrupt; protocol.ReasonToolCall when empty
	Message         string       // what the human reads; a sentence naming the tool when empty
	ResponseSchema  protocol.Any // approve, edit or decline when empty
	ExpiresAt       string       // RFC 3339; when empty as for Ask
	Expiry          Expiry       // of the question
	// Announced says that the agent has emitted the call under its ID already, as one
	// does that shows it while the model still writes it. CallTools announces the others.
	Announced bool
	// Idempotent says that Do may safely run again after a worker died in it.
	Idempotent bool
	// Destructive says that what the call does cannot be undone. The question tells clients so
	// by DestructiveKey.
	Destructive bool
	// Do carries the call out, inside a step. The text of its error is the call's
	// result: the model, and who follows the thread, read it.
	Do func(ctx context.Context, call Invocation) (json.RawMessage, error)
}

// Invocation is a call being carried out.
type Invocation struct {
	CallID string
	Name   string
	// Args are those the human saw and allowed, or gave.
	Args json.RawMessage
	// IdempotencyKey is the same at every attempt to carry this call out, and no
	// other call has it, not even one with the same CallID.
	IdempotencyKey string
	// Decision is the human's answer with PassDecisionToTool, otherwise the zero
	// Answer.
	Decision Answer
}

// ToolStatus is what became of a call.
type ToolStatus string

const (
	ToolExecuted  ToolStatus = "executed"
	ToolFailed    ToolStatus = "failed"    // Do failed, or a human gave up on it after a crash: it may have taken effect
	ToolDeclined  ToolStatus = "declined"  // by a human
	ToolCancelled ToolStatus = "cancelled" // the interrupt was, by somebody: no result on the wire
	ToolDenied    ToolStatus = "denied"    // by policy
	ToolExpired   ToolStatus = "expired"   // nobody answered in time, and no Answer of its Expiry approves: without one no result on the wire
)

// ToolOutcome is what became of one call.
type ToolOutcome struct {
	CallID string
	Status ToolStatus
	Args   json.RawMessage // as carried out or proposed
	Result json.RawMessage // as on the wire; nil when there is none
	Reason string          // the human's, or the error's text
}

// CallTools announces the calls, asks about those whose policy says so in one
// Ask, carries out what may be, one step each in the given order, and emits
// their results. A call that was asked about runs with the arguments that the
// human saw, or those that the human gave, never with ones the agent came up
// with in a replay. The error is Ask's or Step's and must be returned; a call
// that fails is an outcome.
func CallTools(ctx context.Context, run *Run, calls ...ToolCall) ([]ToolOutcome, error) {
	calls = slices.Clone(calls)
	var interrupts []protocol.Interrupt
	var suspended []store.SuspendedCall
	for i := range calls {
		c := &calls[i]
		if c.ID == "" {
			c.ID = run.NewID()
		}
		if c.Args == nil {
			c.Args = json.RawMessage("{}")
		}
		if !c.Announced {
			if err := run.announce(*c); err != nil {
				return nil, err
			}
		}
		if c.Policy == PolicyAsk {
			interrupts = append(interrupts, c.interrupt())
			suspended = append(suspended, store.SuspendedCall{ID: c.ID, Name: c.Name, Args: c.Args, Mode: string(c.Mode)})
		}
	}
	var answers Answers
	if len(interrupts) > 0 {
		var err error
		if answers, suspended, err = run.ask(ctx, interrupts, suspended, nil); err != nil {
			return nil, err
		}
	}
	outcomes := make([]ToolOutcome, len(calls))
	asked := 0
	for i, c := range calls {
		var answer *Answer
		if c.Policy == PolicyAsk {
			answer = &answers.Of[asked]
			c.ID, c.Name, c.Args, c.Mode = suspended[asked].ID, suspended[asked].Name, suspended[asked].Args, ResumeMode(suspended[asked].Mode)
			asked++
		}
		outcome, err := c.decide(ctx, run, answer)
		if err != nil {
			return nil, err
		}
		if outcome.Result != nil {
			if err := run.ToolResult(c.ID, string(outcome.Result)); err != nil {
				return nil, err
			}
		}
		outcomes[i] = outcome
	}
	return outcomes, nil
}

func (r *Run) announce(c ToolCall) error {
	start := &protocol.ToolCallStart{ToolCallID: c.ID, ToolCallName: c.Name}
	if c.ParentMessageID != "" {
		start.ParentMessageID = &c.ParentMessageID
	}
	return r.Emit(start,
		&protocol.ToolCallArgs{ToolCallID: c.ID, Delta: string(c.Args)},
		&protocol.ToolCallEnd{ToolCallID: c.ID})
}

func (c ToolCall) interrupt() protocol.Interrupt {
	i := protocol.Interrupt{
		Reason:         cmp.Or(c.Reason, protocol.ReasonToolCall),
		Message:        c.Message,
		ToolCallID:     c.ID,
		ResponseSchema: c.ResponseSchema,
		ExpiresAt:      c.ExpiresAt,
	}
	if i.Message == "" {
		i.Message = "May the tool " + c.Name + " be called with these arguments?"
	}
	if i.ResponseSchema.IsZero() {
		i.ResponseSchema = approvalSchema
	}
	if c.Destructive {
		i.Metadata = protocol.Metadata{DestructiveKey: json.RawMessage("true")}
	}
	return OnExpiry(i, c.Expiry)
}

// decide turns a policy or a decision into an outcome, carrying the call out
// if it may be. answer is nil when nobody was asked.
func (c ToolCall) decide(ctx context.Context, run *Run, answer *Answer) (ToolOutcome, error) {
	outcome := ToolOutcome{CallID: c.ID, Args: c.Args}
	call := Invocation{CallID: c.ID, Name: c.Name, Args: c.Args}
	switch {
	case c.Policy == PolicyDeny:
		outcome.Status = ToolDenied
		outcome.Result = json.RawMessage(`{"executed":false,"denied":true}`)
		return outcome, nil
	case answer == nil:
		return c.carryOut(ctx, run, call, outcome)
	}
	payload, resolved := answer.Payload()
	switch {
	case !resolved && answer.Expired():
		outcome.Status = ToolExpired
		return outcome, nil
	case !resolved:
		outcome.Status = ToolCancelled
		return outcome, nil
	case c.Mode == UseDecisionAsToolResult:
		outcome.Status, outcome.Result = ToolExecuted, payload
		if protocol.Any(payload).IsZero() {
			outcome.Result = json.RawMessage("null")
		}
		return outcome, nil
	case c.Mode == PassDecisionToTool:
		call.Decision = *answer
	default:
		said := answer.approval()
		if !said.approved && answer.Expired() {
			outcome.Status, outcome.Reason = ToolExpired, said.reason
			outcome.Result = result(map[string]any{"executed": false, "expired": true, "reason": said.reason})
			return outcome, nil
		}
		if !said.approved {
			outcome.Status, outcome.Reason = ToolDeclined, said.reason
			outcome.Result = result(map[string]any{"executed": false, "declined": true, "reason": said.reason})
			return outcome, nil
		}
		if said.editedArgs != nil {
			call.Args, outcome.Args = said.editedArgs, said.editedArgs
		}
	}
	return c.carryOut(ctx, run, call, outcome)
}

func (c ToolCall) carryOut(ctx context.Context, run *Run, call Invocation, outcome ToolOutcome) (ToolOutcome, error) {
	if c.Do == nil {
		return outcome, fmt.Errorf("adapter: tool %s has nothing that carries it out", c.Name)
	}
	call.IdempotencyKey = run.x.CallKey(c.ID)
	var args any = call.Args
	if !json.Valid(call.Args) {
		args = string(call.Args)
	}
	options := StepOptions{Idempotent: c.Idempotent, Input: []any{c.Name, c.ID, args}, About: &StepAbout{Call: c.Name, Args: call.Args, Key: call.IdempotencyKey}}
	value, err := StepWith(ctx, run, "tool "+c.Name, options, func(ctx context.Context) (json.RawMessage, error) {
		return c.Do(ctx, call)
	})
	if failed, ok := err.(*StepError); ok {
		outcome.Status, outcome.Reason = ToolFailed, failed.Message
		outcome.Result = result(map[string]any{"executed": false, "error": failed.Message})
		return outcome, nil
	}
	if err != nil {
		return outcome, err
	}
	if value == nil { // a human said that it was done, and not with what result
		value = json.RawMessage(`{"executed":true}`)
	}
	outcome.Status, outcome.Result = ToolExecuted, value
	return outcome, nil
}

// result encodes what a call without a result of its own answers.
func result(members map[string]any) json.RawMessage {
	if members["reason"] == "" {
		delete(members, "reason")
	}
	text, err := json.Marshal(members)
	if err != nil {
		return json.RawMessage(`{"executed":false}`)
	}
	return text
}

// approval is a payload that approvalSchema describes.
type approval struct {
	approved   bool
	editedArgs json.RawMessage
	reason     string
}

// approval reads the members by their exact names. A payload of another kind approves
// nothing.
func (a Answer) approval() (said approval) {
	var members map[string]json.RawMessage
	payload, _ := a.Payload()
	if json.Unmarshal(payload, &members) != nil {
		return said
	}
	said.approved = string(members["approved"]) == "true"
	if edited := members["editedArgs"]; !protocol.Any(edited).IsZero() {
		said.editedArgs = edited
	}
	_ = json.Unmarshal(members["reason"], &said.reason) // what is no text says nothing
	return said
}
