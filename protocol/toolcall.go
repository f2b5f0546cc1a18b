package protocol

// ToolCallStart announces a tool call and opens its arguments.
type ToolCallStart struct {
	Base
	Attributed
	ToolCallID   string `json:"toolCallId"`
	ToolCallName string `json:"toolCallName"`
	// ParentMessageID is the assistant message that carries the call.
	ParentMessageID *string `json:"parentMessageId,omitzero" agui:"nullable"`
}

// Type returns TypeToolCallStart.
func (*ToolCallStart) Type() EventType { return TypeToolCallStart }

// ToolCallArgs appends Delta to the text of a call's arguments.
type ToolCallArgs struct {
	Base
	Attributed
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
}

// Type returns TypeToolCallArgs.
func (*ToolCallArgs) Type() EventType { return TypeToolCallArgs }

// ToolCallEnd says that the text of the arguments is complete, not that it is
// valid.
type ToolCallEnd struct {
	Base
	Attributed
	ToolCallID string `json:"toolCallId"`
}

// Type returns TypeToolCallEnd.
func (*ToolCallEnd) Type() EventType { return TypeToolCallEnd }

// ToolCallChunk is the short form of a tool call; the first chunk carries the
// id and the name. See Expander.
type ToolCallChunk struct {
	Base
	Attributed
	ToolCallID      *string `json:"toolCallId,omitzero"`
	ToolCallName    string  `json:"toolCallName,omitzero"`
	ParentMessageID *string `json:"parentMessageId,omitzero" agui:"nullable"`
	Delta           *string `json:"delta,omitzero"`
}

// Type returns TypeToolCallChunk.
func (*ToolCallChunk) Type() EventType { return TypeToolCallChunk }

// ToolCallResult answers a call with a tool message of its own.
type ToolCallResult struct {
	Base
	Attributed
	MessageID  string  `json:"messageId"`
	ToolCallID string  `json:"toolCallId"`
	Content    Content `json:"content" agui:"content=text|parts"`
	Role       Role    `json:"role,omitzero" agui:"enum=tool"`
}

// Type returns TypeToolCallResult.
func (*ToolCallResult) Type() EventType { return TypeToolCallResult }
