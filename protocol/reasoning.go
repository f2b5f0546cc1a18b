package protocol

// ReasoningStart opens a reasoning span. Spans and reasoning messages are
// separate: they may share an id, and a span opens no message.
type ReasoningStart struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
}

// Type returns TypeReasoningStart.
func (*ReasoningStart) Type() EventType { return TypeReasoningStart }

// ReasoningEnd closes a reasoning span.
type ReasoningEnd struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
}

// Type returns TypeReasoningEnd.
func (*ReasoningEnd) Type() EventType { return TypeReasoningEnd }

// ReasoningMessageStart opens a reasoning message. Its role is always
// RoleReasoning and is written so when left empty.
type ReasoningMessageStart struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
	Role      Role   `json:"role" agui:"enum=reasoning"`
}

// Type returns TypeReasoningMessageStart.
func (*ReasoningMessageStart) Type() EventType { return TypeReasoningMessageStart }

// ReasoningMessageContent appends Delta to a reasoning message.
type ReasoningMessageContent struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
}

// Type returns TypeReasoningMessageContent.
func (*ReasoningMessageContent) Type() EventType { return TypeReasoningMessageContent }

// ReasoningMessageEnd closes a reasoning message.
type ReasoningMessageEnd struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
}

// Type returns TypeReasoningMessageEnd.
func (*ReasoningMessageEnd) Type() EventType { return TypeReasoningMessageEnd }

// ReasoningMessageChunk is the short form of a reasoning message. See Expander.
type ReasoningMessageChunk struct {
	Base
	Attributed
	MessageID *string `json:"messageId,omitzero"`
	Delta     *string `json:"delta,omitzero"`
}

// Type returns TypeReasoningMessageChunk.
func (*ReasoningMessageChunk) Type() EventType { return TypeReasoningMessageChunk }

// The things that an encrypted value can belong to.
const (
	SubtypeMessage  = "message"
	SubtypeToolCall = "tool-call"
)

// ReasoningEncryptedValue stores a provider's sealed reasoning on the message
// or tool call that EntityID names.
type ReasoningEncryptedValue struct {
	Base
	Attributed
	Subtype        string `json:"subtype" agui:"enum=message|tool-call"`
	EntityID       string `json:"entityId"`
	EncryptedValue string `json:"encryptedValue"`
	// EncryptedValueType is new in 1.1; a value without one clears the old one.
	EncryptedValueType string `json:"encryptedValueType,omitzero"`
}

// Type returns TypeReasoningEncryptedValue.
func (*ReasoningEncryptedValue) Type() EventType { return TypeReasoningEncryptedValue }
