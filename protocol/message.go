package protocol

import "encoding/json"

// Role says who speaks.
type Role string

// The seven roles.
const (
	RoleDeveloper Role = "developer"
	RoleSystem    Role = "system"
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
	RoleTool      Role = "tool"
	RoleActivity  Role = "activity"
	RoleReasoning Role = "reasoning"
)

// Messages is a conversation in order. It is never null in JSON.
type Messages []Message

// sizeHint lets most conversations be encoded in one allocation.
func (m Messages) sizeHint() (n int) {
	const names = 64 // of a message's members
	for i := range m {
		n += m[i].Weight() + names
	}
	return n + n/16 // for what is escaped
}

// Message is one message of any role. It is flat because the roles share most
// of it; unions.go says which members each role has. Encoding refuses a member
// that the role does not have. A role that this version does not know keeps
// everything but its id in Extra.
type Message struct {
	ID           string `json:"id" agui:"forgiven"` // empty only in an input whose client gives none
	Role         Role   `json:"role"`
	ActivityType string `json:"activityType,omitzero"`
	// Content is text for most roles, text or parts for user and tool
	// messages, an object for activities. Nil is absent for an assistant and
	// empty for the others.
	Content    *Content   `json:"content,omitzero"`
	ToolCalls  []ToolCall `json:"toolCalls,omitzero"`
	ToolCallID string     `json:"toolCallId,omitzero"`
	Error      string     `json:"error,omitzero"`
	Name       string     `json:"name,omitzero"`

	EncryptedValue     string `json:"encryptedValue,omitzero"`
	EncryptedValueType string `json:"encryptedValueType,omitzero"`

	SubagentRunID *string                    `json:"subagentRunId,omitzero"`
	Metadata      Metadata                   `json:"metadata,omitzero"`
	Extra         map[string]json.RawMessage `json:"-"`
}

// ToolCall is a call in an assistant message. It belongs to the subagent of its
// message.
type ToolCall struct {
	ID                 string                     `json:"id"`
	Type               string                     `json:"type" agui:"enum=function"` // written when left empty
	Function           ToolFunction               `json:"function"`
	Metadata           Metadata                   `json:"metadata,omitzero"`
	EncryptedValue     string                     `json:"encryptedValue,omitzero"`
	EncryptedValueType string                     `json:"encryptedValueType,omitzero"`
	Extra              map[string]json.RawMessage `json:"-"`
}

// ToolFunction is what is called. Arguments is text as the model wrote it,
// which need not be JSON.
type ToolFunction struct {
	Name      string                     `json:"name"`
	Arguments string                     `json:"arguments"`
	Extra     map[string]json.RawMessage `json:"-"`
}
