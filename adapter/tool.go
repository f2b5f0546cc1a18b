package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/aguiws/aguiws/adapter/internal/responseschema"
	"github.com/aguiws/aguiws/protocol"
)

// Tool is a tool whose arguments and result are Go types. The schema of its
// arguments derives from In, which must be a struct: exported fields by their
// JSON names, required unless omitempty or omitzero, described by the tag
// jsonschema. Define makes it usable.
//
// Numbers are carried out as they were approved: a call is refused, and so is what a
// human gave, when a number would become another in the field of In, as
// 9007199254740993 would in a float64. A field of type json.Number holds every number,
// and so does json.RawMessage; in what is any there are json.Numbers.
type Tool[In, Out any] struct {
	Name        string
	Description string
	// Policy decides about each call. Nil asks about all of them.
	Policy func(in In) Policy
	// Mode is what a decision does to a call that was asked about.
	Mode ResumeMode
	// Message is what the human reads. Nil is a sentence that names the tool.
	Message func(in In) string
	// Idempotent says that Do may safely run again after a worker died in it.
	Idempotent bool
	// Destructive says that what a call does cannot be undone, as ToolCall.Destructive does.
	Destructive bool
	// Do carries a call out. in is call.Args decoded: with ReplayToolCall what
	// the human gave, if anything.
	Do func(ctx context.Context, call Invocation, in In) (Out, error)
}

// DefinedTool is a Tool with its schema. It may be used concurrently.
type DefinedTool[In, Out any] struct {
	tool    Tool[In, Out]
	schema  protocol.Any // of In
	answer  protocol.Any // approval whose editedArgs fit In
	schemas responseschema.Set
}

// typeSchemas are of types that hold a number, or any value, as its text.
var typeSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.Number]():     {Type: "number"},
	reflect.TypeFor[json.RawMessage](): {},
}

// Define derives the schema. It fails when In is not a struct or holds what
// JSON cannot.
func (t Tool[In, Out]) Define() (*DefinedTool[In, Out], error) {
	derived, err := jsonschema.For[In](&jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		return nil, fmt.Errorf("adapter: tool %s: %w", t.Name, err)
	}
	if derived.Type != "object" {
		return nil, fmt.Errorf("adapter: tool %s: its arguments must be a struct", t.Name)
	}
	schema, err := json.Marshal(derived)
	if err != nil {
		return nil, fmt.Errorf("adapter: tool %s: %w", t.Name, err)
	}
	d := &DefinedTool[In, Out]{tool: t, schema: schema, answer: approvalOf(string(schema))}
	err = d.schemas.Compile(context.Background(), d.answer)
	return d, err
}

// Schema describes the tool to a model.
func (d *DefinedTool[In, Out]) Schema() protocol.Tool {
	return protocol.Tool{Name: d.tool.Name, Description: d.tool.Description, Parameters: d.schema}
}

// Call makes a call for CallTools of arguments that a model came up with. It
// fails when they do not fit the schema: the error says where, and is for the
// model to read.
func (d *DefinedTool[In, Out]) Call(args json.RawMessage) (ToolCall, error) {
	in, err := d.decode(context.Background(), args)
	if err != nil {
		return ToolCall{}, err
	}
	c := ToolCall{
		Name: d.tool.Name, Args: args, Mode: d.tool.Mode, Idempotent: d.tool.Idempotent, Destructive: d.tool.Destructive, ResponseSchema: d.answer, Do: d.carryOut,
	}
	if d.tool.Mode == UseDecisionAsToolResult || d.tool.Mode == PassDecisionToTool {
		c.ResponseSchema = protocol.Any(`{}`)
	}
	if d.tool.Policy != nil {
		c.Policy = d.tool.Policy(in)
	}
	if d.tool.Message != nil {
		c.Message = d.tool.Message(in)
	}
	return c, nil
}

func (d *DefinedTool[In, Out]) decode(ctx context.Context, args json.RawMessage) (In, error) {
	var in In
	problems, err := d.schemas.Check(ctx, d.schema, args)
	if err != nil {
		return in, fmt.Errorf("adapter: arguments of %s: %w", d.tool.Name, err)
	}
	if len(problems) > 0 {
		return in, fmt.Errorf("adapter: arguments of %s: %s %s", d.tool.Name, problems[0].Pointer, problems[0].Message)
	}
	err = decode(args, &in)
	var unfit *json.UnmarshalTypeError
	switch {
	case errors.As(err, &unfit): // the schema says what fits, but for the size of a number
		err = fmt.Errorf("/%s the %.48s does not fit", strings.ReplaceAll(unfit.Field, ".", "/"), unfit.Value)
	case err == nil:
		err = holds(in, args)
	}
	if err != nil {
		return in, fmt.Errorf("adapter: arguments of %s: %w", d.tool.Name, err)
	}
	return in, nil
}

func (d *DefinedTool[In, Out]) carryOut(ctx context.Context, call Invocation) (json.RawMessage, error) {
	in, err := d.decode(ctx, call.Args)
	if err != nil {
		return nil, err
	}
	out, err := d.tool.Do(ctx, call, in)
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}
