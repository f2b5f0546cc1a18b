package copilotkit

import (
	"context"
	"encoding/json"

	"github.com/aguiws/aguiws/protocol"
)

// Config is what a Runtime needs beside the server's streams. All of it may be used
// concurrently.
type Config struct {
	// Describe tells of the agent of that name, which it may ask until ctx is done.
	Describe func(ctx context.Context, name string) (description string, capabilities json.RawMessage)
	// Suggest says what a reader could say next. Nil: there are no suggestions.
	Suggest func(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]Suggestion, error)
	// Stops reports whether the run of an agent is stopped when its client leaves.
	Stops        func(agent string) bool
	MaxBodyBytes int64
}

// Suggestion is something that a page offers its reader to say next.
type Suggestion struct {
	Title   string `json:"title"`   // short: the text of a button
	Message string `json:"message"` // what is said when it is chosen
}
