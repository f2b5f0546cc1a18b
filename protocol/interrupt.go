package protocol

import "encoding/json"

// The reasons that need no namespace. Others are namespaced as
// "<framework>:<name>".
const (
	ReasonToolCall      = "tool_call"      // needs ToolCallID
	ReasonInputRequired = "input_required" // needs ResponseSchema
	ReasonConfirmation  = "confirmation"
)

// Interrupt is a question that ends a run and that a later run answers.
type Interrupt struct {
	ID         string `json:"id"` // unique within the run
	Reason     string `json:"reason"`
	Message    string `json:"message,omitzero"`
	ToolCallID string `json:"toolCallId,omitzero"`
	// ResponseSchema is the JSON Schema of the answer, an object.
	ResponseSchema Any `json:"responseSchema,omitzero" agui:"object"`
	// ExpiresAt is RFC 3339 by convention and unconstrained by the protocol.
	ExpiresAt     string                     `json:"expiresAt,omitzero"`
	Metadata      Metadata                   `json:"metadata,omitzero"`
	SubagentRunID *string                    `json:"subagentRunId,omitzero"`
	Extra         map[string]json.RawMessage `json:"-"`
}

// MarshalJSON writes the interrupt.
func (i Interrupt) MarshalJSON() ([]byte, error) { return marshal(&i) }

// UnmarshalJSON reads as Decode does.
func (i *Interrupt) UnmarshalJSON(data []byte) error { return unmarshal(data, i) }
