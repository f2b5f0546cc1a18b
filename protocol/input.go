package protocol

import (
	"encoding/json"
)

// RunAgentInput asks for a run, or answers the interrupts of the last one.
// Encoding always writes messages, tools and context as arrays, because peers
// before 1.0 require them.
type RunAgentInput struct {
	ThreadID        string                     `json:"threadId"`
	RunID           string                     `json:"runId"`
	Messages        Messages                   `json:"messages" agui:"defaulted"`
	ProtocolVersion string                     `json:"protocolVersion,omitzero"`
	ParentRunID     string                     `json:"parentRunId,omitzero"`
	State           Any                        `json:"state,omitzero"`
	Tools           []Tool                     `json:"tools" agui:"optional"`
	Context         []Context                  `json:"context" agui:"optional"`
	ForwardedProps  Any                        `json:"forwardedProps,omitzero"`
	Resume          []ResumeEntry              `json:"resume,omitzero"`
	Extra           map[string]json.RawMessage `json:"-"`
}

// sizeHint lets most inputs be encoded in one allocation: with a long history each further
// one is a copy of nearly all.
func (in *RunAgentInput) sizeHint() int {
	const envelope = 512
	const names = 64 // of an object's members
	n := len(in.State) + len(in.ForwardedProps) + in.Messages.sizeHint()
	for i := range in.Tools {
		n += len(in.Tools[i].Description) + len(in.Tools[i].Parameters) + names
	}
	for i := range in.Context {
		n += len(in.Context[i].Description) + len(in.Context[i].Value) + names
	}
	for i := range in.Resume {
		n += len(in.Resume[i].Payload) + 2*names
	}
	return envelope + n + n/16 // for what is escaped
}

// Tool is a tool that the frontend offers.
type Tool struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Parameters  Any                        `json:"parameters,omitzero"` // meant to be a JSON Schema
	Metadata    Metadata                   `json:"metadata,omitzero"`
	Extra       map[string]json.RawMessage `json:"-"`
}

// Context is something that the model should know.
type Context struct {
	Description string                     `json:"description"`
	Value       string                     `json:"value"`
	Extra       map[string]json.RawMessage `json:"-"`
}

// ResumeStatus says what became of an interrupt.
type ResumeStatus string

// The answers to an interrupt.
const (
	ResumeResolved  ResumeStatus = "resolved"
	ResumeCancelled ResumeStatus = "cancelled"
)

// ResumeEntry answers one interrupt. Metadata is about the envelope, such as a
// signature; the answer is the payload.
type ResumeEntry struct {
	InterruptID string                     `json:"interruptId"`
	Status      ResumeStatus               `json:"status" agui:"enum=resolved|cancelled"`
	Payload     Any                        `json:"payload,omitzero"`
	Metadata    Metadata                   `json:"metadata,omitzero"`
	Extra       map[string]json.RawMessage `json:"-"`
}
