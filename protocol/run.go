package protocol

import "encoding/json"

// The versions of the protocol that this package knows the differences of.
const (
	Version10 = "1.0"
	Version11 = "1.1"
)

// RunStarted opens a run.
type RunStarted struct {
	Base
	ThreadID string `json:"threadId" agui:"forgiven"`
	RunID    string `json:"runId" agui:"forgiven"`
	// ProtocolVersion is what the producer speaks, MAJOR.MINOR, never an echo.
	ProtocolVersion string         `json:"protocolVersion,omitzero"`
	ParentRunID     string         `json:"parentRunId,omitzero"`
	Input           *RunAgentInput `json:"input,omitzero" agui:"echo"`
}

// Type returns TypeRunStarted.
func (*RunStarted) Type() EventType { return TypeRunStarted }

// RunFinished closes a run that did not fail.
type RunFinished struct {
	Base
	ThreadID string       `json:"threadId" agui:"forgiven"`
	RunID    string       `json:"runId" agui:"forgiven"`
	Result   Any          `json:"result,omitzero"`
	Outcome  *RunOutcome  `json:"outcome,omitzero" agui:"nullable"` // nil is a success
	Usage    []TokenUsage `json:"usage,omitzero"`
}

// Type returns TypeRunFinished.
func (*RunFinished) Type() EventType { return TypeRunFinished }

// RunError closes a run that failed, or refuses one as the first event of a
// stream. It names no run: it is about the one that is open.
type RunError struct {
	Base
	Message string       `json:"message"` // for people
	Code    string       `json:"code,omitzero"`
	Usage   []TokenUsage `json:"usage,omitzero"`
}

// Type returns TypeRunError.
func (*RunError) Type() EventType { return TypeRunError }

// OutcomeType discriminates outcomes of runs and subagents.
type OutcomeType string

// The outcomes. A run succeeds, is interrupted or is cancelled; a subagent
// succeeds or is suspended.
const (
	OutcomeSuccess   OutcomeType = "success"
	OutcomeInterrupt OutcomeType = "interrupt"
	OutcomeCancelled OutcomeType = "cancelled"
	OutcomeSuspended OutcomeType = "suspended"
)

// RunOutcome says how a run ended.
type RunOutcome struct {
	Type OutcomeType `json:"type"`
	// Interrupts are at least one for OutcomeInterrupt, none otherwise.
	Interrupts []Interrupt `json:"interrupts,omitzero" agui:"nonempty"`
	// PendingToolCallIDs are the calls that this run started and that have no
	// result, in call order; for OutcomeSuccess only. Nil leaves it unsaid.
	PendingToolCallIDs []string                   `json:"pendingToolCallIds,omitzero"`
	Extra              map[string]json.RawMessage `json:"-"`
}

// TokenUsage counts the tokens of one provider and model. A nil count is not
// reported, which differs from none. InputTokens includes the cached, the
// cache-written and the non-text ones; OutputTokens includes the reasoning.
type TokenUsage struct {
	Provider              string                     `json:"provider,omitzero"`
	Model                 string                     `json:"model,omitzero"`
	InputTokens           *int64                     `json:"inputTokens,omitzero" agui:"count"`
	OutputTokens          *int64                     `json:"outputTokens,omitzero" agui:"count"`
	TotalTokens           *int64                     `json:"totalTokens,omitzero" agui:"count"`
	ReasoningTokens       *int64                     `json:"reasoningTokens,omitzero" agui:"count"`
	CachedInputTokens     *int64                     `json:"cachedInputTokens,omitzero" agui:"count"`
	CacheWriteInputTokens *int64                     `json:"cacheWriteInputTokens,omitzero" agui:"count"`
	Extra                 map[string]json.RawMessage `json:"-"`
}

// StepStarted opens a named step of its owner.
type StepStarted struct {
	Base
	Attributed
	StepName string `json:"stepName"`
}

// Type returns TypeStepStarted.
func (*StepStarted) Type() EventType { return TypeStepStarted }

// StepFinished closes a named step of its owner.
type StepFinished struct {
	Base
	Attributed
	StepName string `json:"stepName"`
}

// Type returns TypeStepFinished.
func (*StepFinished) Type() EventType { return TypeStepFinished }
