package protocol

// TextMessageStart opens a text message, or reopens one that was closed.
type TextMessageStart struct {
	Base
	Attributed
	MessageID string `json:"messageId"` // unique within the thread
	// Role is developer, system, assistant or user; empty is assistant.
	Role Role   `json:"role,omitzero" agui:"enum=developer|system|assistant|user"`
	Name string `json:"name,omitzero"`
}

// Type returns TypeTextMessageStart.
func (*TextMessageStart) Type() EventType { return TypeTextMessageStart }

// TextMessageContent appends Delta to the message named by MessageID.
type TextMessageContent struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"` // may be empty; cut between code points
}

// Type returns TypeTextMessageContent.
func (*TextMessageContent) Type() EventType { return TypeTextMessageContent }

// TextMessageEnd closes a text message.
type TextMessageEnd struct {
	Base
	Attributed
	MessageID string `json:"messageId"`
}

// Type returns TypeTextMessageEnd.
func (*TextMessageEnd) Type() EventType { return TypeTextMessageEnd }

// TextMessageChunk is the short form of a text message: the first chunk names
// the message and opens it, later ones may leave everything out but the delta.
// See Expander.
type TextMessageChunk struct {
	Base
	Attributed
	MessageID *string `json:"messageId,omitzero"`
	Role      Role    `json:"role,omitzero" agui:"enum=developer|system|assistant|user"`
	Delta     *string `json:"delta,omitzero"`
	Name      string  `json:"name,omitzero"`
}

// Type returns TypeTextMessageChunk.
func (*TextMessageChunk) Type() EventType { return TypeTextMessageChunk }
