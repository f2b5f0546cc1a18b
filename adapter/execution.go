package adapter

import (
	"context"
	"encoding/json"
	"io"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Execution is what a Run stands on: a line of calls of an execution, which is the agent's
// function or a branch of Parallel. Runners implement it, and agents have no use for it. Its
// methods do what those of Run of the same name promise.
type Execution interface {
	// Frozen is what the execution was begun with. It must not be changed.
	Frozen() *store.Frozen
	Thread() store.ThreadKey
	Headers() map[string]string
	LatestInput() *protocol.RunAgentInput
	Logins() Logins // nil: none are configured
	NewID() string
	// CallKey is the idempotency key of the next tool call with the id.
	CallKey(id string) string

	State() json.RawMessage
	Messages() protocol.Messages
	Message(id string) (protocol.Message, bool)
	Role(id string) (protocol.Role, bool)
	ToolCall(id string) (protocol.ToolCall, bool)
	Answered(call string) bool

	Emit(events []protocol.Event) error
	Relay(e protocol.Event, text []byte) error
	// Holds reports whether events are held back, as those of a branch are.
	Holds() bool
	// Over reports whether nothing more can be done.
	Over() bool
	// Told is what clients are told of an agent's error. The log is told the rest.
	Told(err error) *protocol.RunError
	Finish(result json.RawMessage, metadata protocol.Metadata)
	Usage(used []protocol.TokenUsage)

	Step(ctx context.Context, name string, options StepOptions, fn func(context.Context) (json.RawMessage, error)) (json.RawMessage, error)
	// Sleep returns the journaled answer, which the clock gives.
	Sleep(ctx context.Context, until protocol.Interrupt) (*store.JournalEntry, error)
	// Event numbers the events of a name, and AwaitEvent waits for one by its key.
	Event(ctx context.Context, name string) (EventKey, error)
	AwaitEvent(ctx context.Context, key string, until protocol.Interrupt) (*store.JournalEntry, error)
	// Call returns the journaled answer, and the thread of what was called.
	Call(ctx context.Context, agent string, input *protocol.RunAgentInput) (*store.JournalEntry, string, error)
	// Ask returns the journaled answer, and of the calls that it decides about those that
	// were journaled. The login is what the one interrupt asks for; nil: it asks for none.
	Ask(ctx context.Context, interrupts []protocol.Interrupt, calls []store.SuspendedCall, login *store.Login) (*store.JournalEntry, []store.SuspendedCall, error)
	Askable(ctx context.Context, i protocol.Interrupt) error
	Fits(ctx context.Context, i protocol.Interrupt, payload json.RawMessage) bool
	Injected(ctx context.Context) (protocol.Messages, error)

	// Fork begins branches: each is to be carried out by Branch, and then all are joined.
	Fork(branches int) ([]Execution, error)
	// Branch calls fn for the line that it is called on, which Fork has made.
	Branch(ctx context.Context, fn func(context.Context) error) error
	// Join goes on behind the branches, with what they returned.
	Join(errs []error) error

	PutPayload(ctx context.Context, value io.Reader, options PayloadOptions) (Payload, error)
	OpenPayload(ctx context.Context, ref string) (io.Reader, error)
}
