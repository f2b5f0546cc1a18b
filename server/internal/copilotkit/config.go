package copilotkit

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Config is what a Runtime stands on. All of it may be used concurrently.
type Config struct {
	// Enter decides whom a request is from.
	Enter func(*http.Request) (Caller, *refusal.Refusal)
	// Agents are the names of agents. The default agent, which has none, is there
	// as well.
	Agents []string
	// Describe tells of the agent of that name, which it may ask until ctx is done.
	Describe func(ctx context.Context, name string) (description string, capabilities json.RawMessage)
	// Suggest says what a reader could say next. Nil: there are no suggestions.
	Suggest      func(ctx context.Context, agent string, in *protocol.RunAgentInput) ([]Suggestion, error)
	CallTimeout  time.Duration // of a stop
	MaxBodyBytes int64
	Logger       *slog.Logger
}

// Suggestion is something that a page offers its reader to say next.
type Suggestion struct {
	Title   string `json:"title"`   // short: the text of a button
	Message string `json:"message"` // what is said when it is chosen
}
