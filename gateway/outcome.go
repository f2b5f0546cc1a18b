package gateway

import (
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// outcome is what became of a request, as the journal keeps it: a replay takes the same
// path by it. The zero outcome is what a human has said was done.
type outcome struct {
	Thread string `json:"thread,omitempty"` // as the agent calls it
	Run    string `json:"run,omitempty"`
	Sent   string `json:"sent,omitempty"` // the last message that it has been sent
	// Interrupts are as Ask takes them, but for their ids, which are the agent's.
	Interrupts []protocol.Interrupt `json:"interrupts,omitempty"`
	// Legacy says that they came as CUSTOM events, and are answered by a command.
	Legacy   bool              `json:"legacy,omitempty"`
	Result   json.RawMessage   `json:"result,omitempty"`
	Metadata protocol.Metadata `json:"metadata,omitempty"`
	// Usage is what the request has used, and For the label of the run that it was made for,
	// which tells it.
	Usage   []protocol.TokenUsage `json:"usage,omitempty"`
	For     string                `json:"for,omitempty"`
	Failure *failure              `json:"failure,omitempty"`
	// Taken says that the agent has the answers, and that what came of it is read in a step
	// of its own. Else this is all.
	Taken bool `json:"taken,omitempty"`
	// Undelivered says that the agent has not got what the request was to bring.
	Undelivered bool `json:"undelivered,omitempty"`
	// Dialect and Single say how the interrupts are answered: as the dialect has it, and
	// each in a request of its own.
	Dialect Dialect `json:"dialect,omitempty"`
	// No has what the agent gets for a cancellation of an interrupt, by its id, if it would
	// take one for an answer.
	No     map[string]json.RawMessage `json:"no,omitempty"`
	Single bool                       `json:"single,omitempty"`

	because *failure // why they are asked again
}

// ids are those of a thread and a run.
type ids struct{ thread, run string }
