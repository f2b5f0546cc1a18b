package store

import "encoding/json"

// DecisionBody is what the record has of a decision beside what it is found by: the Body
// of a store.Decision.
type DecisionBody struct {
	Reason     string `json:"reason"`
	Message    string `json:"message,omitempty"` // as it was shown, without what is beyond 64 KiB
	ToolCallID string `json:"toolCallId,omitempty"`
	// Arguments are those of the call as they were shown, without what runner.Options.Redact takes
	// out: JSON or, of what is none or has more than 64 KiB, a string with its first part.
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// ArgumentsDigest is the SHA-256, in hex, of all the arguments in the form of RFC 8785,
	// numbers by their exact value; of what is no JSON, as they are.
	ArgumentsDigest string `json:"argumentsDigest,omitempty"`
	// Payload is the answer's, without what runner.Options.Redact takes out, and as Arguments else.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Cut says what has more than 64 KiB: message, arguments, payload.
	Cut []string `json:"cut,omitempty"`
	Origin
	AskedBy    DecisionRun `json:"askedBy"`    // the run that asked
	AnsweredBy DecisionRun `json:"answeredBy"` // the run that the answer began; empty: none, as of a thread that is deleted
}

// DecisionRun names a run: the client's runId, and the server's id.
type DecisionRun struct {
	Label string `json:"label"`
	RunID string `json:"runId"`
}
