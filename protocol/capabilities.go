package protocol

import "encoding/json"

// AgentCapabilities says what an agent declares about itself. Everything is
// optional, and nil is undeclared rather than unsupported. It informs: no event
// may be refused because of it.
type AgentCapabilities struct {
	Identity       *IdentityCapabilities       `json:"identity,omitzero"`
	Transport      *TransportCapabilities      `json:"transport,omitzero"`
	Tools          *ToolsCapabilities          `json:"tools,omitzero"`
	Output         *OutputCapabilities         `json:"output,omitzero"`
	State          *StateCapabilities          `json:"state,omitzero"`
	MultiAgent     *MultiAgentCapabilities     `json:"multiAgent,omitzero"`
	Reasoning      *ReasoningCapabilities      `json:"reasoning,omitzero"`
	Multimodal     *MultimodalCapabilities     `json:"multimodal,omitzero"`
	Execution      *ExecutionCapabilities      `json:"execution,omitzero"`
	HumanInTheLoop *HumanInTheLoopCapabilities `json:"humanInTheLoop,omitzero"`
	Custom         Metadata                    `json:"custom,omitzero"` // open by key
	Extra          map[string]json.RawMessage  `json:"-"`
}

// IdentityCapabilities says who the agent is.
type IdentityCapabilities struct {
	Name             string                     `json:"name,omitzero"`
	Type             string                     `json:"type,omitzero"`
	Description      string                     `json:"description,omitzero"`
	Version          string                     `json:"version,omitzero"`
	Provider         string                     `json:"provider,omitzero"`
	DocumentationURL string                     `json:"documentationUrl,omitzero"`
	Metadata         Metadata                   `json:"metadata,omitzero"`
	Extra            map[string]json.RawMessage `json:"-"`
}

// TransportCapabilities says how the agent can be reached. Streaming is SSE.
type TransportCapabilities struct {
	Streaming         *bool                      `json:"streaming,omitzero"`
	WebSocket         *bool                      `json:"websocket,omitzero"`
	HTTPBinary        *bool                      `json:"httpBinary,omitzero"`
	PushNotifications *bool                      `json:"pushNotifications,omitzero"`
	Resumable         *bool                      `json:"resumable,omitzero"`
	Extra             map[string]json.RawMessage `json:"-"`
}

// ToolsCapabilities says which tools the agent has and takes.
type ToolsCapabilities struct {
	Supported      *bool                      `json:"supported,omitzero"`
	Items          []Tool                     `json:"items,omitzero"`
	ParallelCalls  *bool                      `json:"parallelCalls,omitzero"`
	ClientProvided *bool                      `json:"clientProvided,omitzero"`
	Extra          map[string]json.RawMessage `json:"-"`
}

// OutputCapabilities says what the agent can produce.
type OutputCapabilities struct {
	StructuredOutput   *bool                      `json:"structuredOutput,omitzero"`
	SupportedMimeTypes []string                   `json:"supportedMimeTypes,omitzero"`
	Extra              map[string]json.RawMessage `json:"-"`
}

// StateCapabilities says what the agent does with state.
type StateCapabilities struct {
	Snapshots       *bool                      `json:"snapshots,omitzero"`
	Deltas          *bool                      `json:"deltas,omitzero"`
	Memory          *bool                      `json:"memory,omitzero"`
	PersistentState *bool                      `json:"persistentState,omitzero"`
	Extra           map[string]json.RawMessage `json:"-"`
}

// MultiAgentCapabilities says which agents the agent can call on.
type MultiAgentCapabilities struct {
	Supported  *bool                      `json:"supported,omitzero"`
	Delegation *bool                      `json:"delegation,omitzero"`
	Handoffs   *bool                      `json:"handoffs,omitzero"`
	Subagents  []SubagentInfo             `json:"subagents,omitzero"`
	Extra      map[string]json.RawMessage `json:"-"`
}

// SubagentInfo names an agent that can be called on.
type SubagentInfo struct {
	Name        string                     `json:"name"`
	Description string                     `json:"description,omitzero"`
	Extra       map[string]json.RawMessage `json:"-"`
}

// ReasoningCapabilities says how the agent shows its reasoning.
type ReasoningCapabilities struct {
	Supported *bool                      `json:"supported,omitzero"`
	Streaming *bool                      `json:"streaming,omitzero"`
	Encrypted *bool                      `json:"encrypted,omitzero"`
	Extra     map[string]json.RawMessage `json:"-"`
}

// MultimodalCapabilities says which media the agent takes and makes.
type MultimodalCapabilities struct {
	Input  *MultimodalInputCapabilities  `json:"input,omitzero"`
	Output *MultimodalOutputCapabilities `json:"output,omitzero"`
	Extra  map[string]json.RawMessage    `json:"-"`
}

// MultimodalInputCapabilities says which media the agent takes.
type MultimodalInputCapabilities struct {
	Image *bool                      `json:"image,omitzero"`
	Audio *bool                      `json:"audio,omitzero"`
	Video *bool                      `json:"video,omitzero"`
	PDF   *bool                      `json:"pdf,omitzero"`
	File  *bool                      `json:"file,omitzero"`
	Extra map[string]json.RawMessage `json:"-"`
}

// MultimodalOutputCapabilities says which media the agent makes.
type MultimodalOutputCapabilities struct {
	Image *bool                      `json:"image,omitzero"`
	Audio *bool                      `json:"audio,omitzero"`
	Extra map[string]json.RawMessage `json:"-"`
}

// ExecutionCapabilities says how the agent runs.
type ExecutionCapabilities struct {
	CodeExecution    *bool                      `json:"codeExecution,omitzero"`
	Sandboxed        *bool                      `json:"sandboxed,omitzero"`
	MaxIterations    *int64                     `json:"maxIterations,omitzero" agui:"count"`
	MaxExecutionTime *int64                     `json:"maxExecutionTime,omitzero" agui:"count"` // milliseconds
	Extra            map[string]json.RawMessage `json:"-"`
}

// HumanInTheLoopCapabilities says how people take part. Interrupts means that
// runs end with the interrupt outcome and are resumed; ApproveWithEdits that
// interrupts about tool calls take editedArgs.
type HumanInTheLoopCapabilities struct {
	Supported        *bool                      `json:"supported,omitzero"`
	Approvals        *bool                      `json:"approvals,omitzero"`
	Interventions    *bool                      `json:"interventions,omitzero"`
	Feedback         *bool                      `json:"feedback,omitzero"`
	Interrupts       *bool                      `json:"interrupts,omitzero"`
	ApproveWithEdits *bool                      `json:"approveWithEdits,omitzero"`
	Extra            map[string]json.RawMessage `json:"-"`
}
