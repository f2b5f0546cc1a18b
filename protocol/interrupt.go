package protocol

import (
	"encoding/json"
	"fmt"
	"strings"
)

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

// CheckReason judges an interrupt as one that an agent raises: a core reason
// has what it needs, any other is "<framework>:<name>", and the namespace
// "core" is the protocol's own. An interrupt of a peer may have any reason.
func (i *Interrupt) CheckReason() error {
	framework, name, namespaced := strings.Cut(i.Reason, ":")
	switch {
	case i.Reason == ReasonToolCall && i.ToolCallID == "":
		return fmt.Errorf("protocol: interrupt %q: the reason %s needs a toolCallId", i.ID, i.Reason)
	case i.Reason == ReasonInputRequired && i.ResponseSchema.IsZero():
		return fmt.Errorf("protocol: interrupt %q: the reason %s needs a responseSchema", i.ID, i.Reason)
	case i.Reason == ReasonToolCall, i.Reason == ReasonInputRequired, i.Reason == ReasonConfirmation:
		return nil
	case !namespaced || framework == "" || name == "":
		return fmt.Errorf("protocol: interrupt %q: the reason %q is neither a core one nor <framework>:<name>", i.ID, i.Reason)
	case strings.EqualFold(framework, "core"):
		return fmt.Errorf("protocol: interrupt %q: the reason %q is in a namespace that is not an agent's", i.ID, i.Reason)
	}
	return nil
}
