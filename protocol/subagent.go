package protocol

import "encoding/json"

// SubagentStarted announces an invocation of a subagent. An id that was closed
// cannot be used again in the same run.
type SubagentStarted struct {
	Base
	SubagentRunID       string  `json:"subagentRunId"`
	Name                string  `json:"name"`
	Description         string  `json:"description,omitzero"`
	ParentSubagentRunID *string `json:"parentSubagentRunId,omitzero"`
	ParentToolCallID    *string `json:"parentToolCallId,omitzero"`
	ParentMessageID     *string `json:"parentMessageId,omitzero"`
}

// Type returns TypeSubagentStarted.
func (*SubagentStarted) Type() EventType { return TypeSubagentStarted }

// SubagentFinished closes an invocation that did not fail.
type SubagentFinished struct {
	Base
	SubagentRunID string           `json:"subagentRunId"`
	Result        Any              `json:"result,omitzero"`
	Outcome       *SubagentOutcome `json:"outcome,omitzero" agui:"nullable"` // nil is a success
}

// Type returns TypeSubagentFinished.
func (*SubagentFinished) Type() EventType { return TypeSubagentFinished }

// SubagentError closes an invocation that failed. The run goes on.
type SubagentError struct {
	Base
	SubagentRunID string `json:"subagentRunId"`
	Message       string `json:"message"`
	Code          string `json:"code,omitzero"`
}

// Type returns TypeSubagentError.
func (*SubagentError) Type() EventType { return TypeSubagentError }

// SubagentOutcome says how an invocation ended: OutcomeSuccess, or
// OutcomeSuspended when it waits for outside input.
type SubagentOutcome struct {
	Type         OutcomeType                `json:"type"`
	InterruptIDs []string                   `json:"interruptIds,omitzero"` // for OutcomeSuspended only
	Extra        map[string]json.RawMessage `json:"-"`
}
