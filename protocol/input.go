package protocol

import "encoding/json"

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

// MarshalJSON writes the input.
func (in RunAgentInput) MarshalJSON() ([]byte, error) { return marshal(&in) }

// UnmarshalJSON reads as DecodeInput does.
func (in *RunAgentInput) UnmarshalJSON(data []byte) error {
	read, err := DecodeInput(data)
	if err != nil {
		return err
	}
	*in = *read
	return nil
}

// Tool is a tool that the frontend offers.
type Tool struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description"`
	Parameters  Any                        `json:"parameters,omitzero"` // meant to be a JSON Schema
	Metadata    Metadata                   `json:"metadata,omitzero"`
	Extra       map[string]json.RawMessage `json:"-"`
}

// MarshalJSON writes the tool.
func (t Tool) MarshalJSON() ([]byte, error) { return marshal(&t) }

// UnmarshalJSON reads as DecodeInput does.
func (t *Tool) UnmarshalJSON(data []byte) error { return unmarshal(data, t) }

// Context is something that the model should know.
type Context struct {
	Description string                     `json:"description"`
	Value       string                     `json:"value"`
	Extra       map[string]json.RawMessage `json:"-"`
}

// MarshalJSON writes the context.
func (c Context) MarshalJSON() ([]byte, error) { return marshal(&c) }

// UnmarshalJSON reads as DecodeInput does.
func (c *Context) UnmarshalJSON(data []byte) error { return unmarshal(data, c) }

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

// MarshalJSON writes the entry.
func (r ResumeEntry) MarshalJSON() ([]byte, error) { return marshal(&r) }

// UnmarshalJSON reads as DecodeInput does.
func (r *ResumeEntry) UnmarshalJSON(data []byte) error { return unmarshal(data, r) }
