package llm

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// Form is a tool that a human fills in: the model proposes what it knows of In, the
// human sees the fields with that in them, and Do is called with what they sent. A form
// that is cancelled is not carried out.
type Form[In, Out any] struct {
	Name        string
	Description string
	// Message is what the human reads above the form; "" is Description.
	Message string
	// Idempotent is adapter.Tool's.
	Idempotent bool
	// Do carries the call out.
	Do func(ctx context.Context, call adapter.Invocation, in In) (Out, error)
}

type form struct {
	tool     Tool
	schema   protocol.Tool // for the model: nothing is required of it
	fields   object
	response map[string]json.RawMessage
	message  string
}

// Define makes a tool of the form; what is wrong with it New says.
func (f Form[In, Out]) Define() Tool {
	d, err := adapter.Tool[In, Out]{
		Name: f.Name, Description: f.Description, Idempotent: f.Idempotent, Do: f.Do,
	}.Define()
	if err != nil {
		return undefined{error: err}
	}
	made := &form{tool: d, schema: d.Schema(), message: f.Message}
	if made.message == "" {
		made.message = f.Description
	}
	if err := errors.Join(json.Unmarshal(made.schema.Parameters, &made.response), unmarshalIf(made.response["properties"], &made.fields)); err != nil {
		return undefined{error: err}
	}
	proposal := map[string]any{"type": "object", "properties": made.fields, "additionalProperties": false}
	if made.fields == nil {
		delete(proposal, "properties")
	}
	if made.schema.Parameters, err = json.Marshal(proposal); err != nil {
		return undefined{error: err}
	}
	return made
}

func unmarshalIf(text json.RawMessage, into any) error {
	if text == nil {
		return nil
	}
	return json.Unmarshal(text, into)
}

func (f *form) Schema() protocol.Tool { return f.schema }

// Call takes whatever the model proposes: the human sees it, and corrects it.
func (f *form) Call(args json.RawMessage) (adapter.ToolCall, error) {
	var proposed map[string]json.RawMessage
	if err := json.Unmarshal(args, &proposed); err != nil || proposed == nil {
		return adapter.ToolCall{}, errors.New("the arguments must be a JSON object")
	}
	schema, err := f.filledIn(proposed)
	if err != nil {
		return adapter.ToolCall{}, err
	}
	return adapter.ToolCall{
		Name: f.schema.Name, Args: args, Reason: protocol.ReasonInputRequired, Mode: adapter.PassDecisionToTool,
		Message: f.message, ResponseSchema: schema, Do: f.carryOut,
	}, nil
}

// maxProposal bounds what of a proposal a form shows in a field.
const maxProposal = 4 << 10

// filledIn is the form's schema with what the model proposes as defaults.
func (f *form) filledIn(proposed map[string]json.RawMessage) (protocol.Any, error) {
	fields := slices.Clone(f.fields)
	for i, field := range fields {
		var members map[string]json.RawMessage
		value, known := proposed[field.name]
		if !known || len(value) > maxProposal || json.Unmarshal(field.value, &members) != nil || members == nil {
			continue
		}
		members["default"] = value
		text, err := json.Marshal(members)
		if err != nil {
			return nil, err
		}
		fields[i].value = text
	}
	schema := make(map[string]any, len(f.response))
	for name, member := range f.response {
		schema[name] = member
	}
	if len(fields) > 0 {
		schema["properties"] = fields
	}
	text, err := json.Marshal(schema)
	return text, err
}

func (f *form) carryOut(ctx context.Context, invocation adapter.Invocation) (json.RawMessage, error) {
	filled, resolved := invocation.Decision.Payload()
	if !resolved {
		return nil, errors.New("the form was cancelled")
	}
	c, err := f.tool.Call(filled)
	if err != nil {
		return nil, err
	}
	invocation.Args, invocation.Decision = filled, adapter.Answer{}
	return c.Do(ctx, invocation)
}
