package copilotkit

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Caller is whom a request is from, and what can be done in its name. Threads are
// those of its namespace.
type Caller interface {
	May(scope string) bool
	// Answer reads body as an input, or the request's if body is nil, and lets
	// serve answer it with events. A refusal is one that was not written.
	Answer(w http.ResponseWriter, r *http.Request, agent string, body []byte, serve func(Stream)) *refusal.Refusal
	// Stop ends one run that is active or waits, and reports whether it was.
	Stop(ctx context.Context, thread, label string) (bool, error)
	// StopWaiting ends the run that waits for answers, and reports whether one did.
	StopWaiting(ctx context.Context, thread string) (bool, error)
	Follow(thread string) Follower
	// Body makes room for so many bytes more of the request's body. Release gives back
	// what the request holds.
	Body(bytes int64) error
	Release()
}

// Follower sees what a thread has. Close ends it.
type Follower interface {
	Attach(ctx context.Context, after *store.Position) (*follow.Attached, error)
	Close()
}

// Stream is the answer to an input, as Server-Sent Events. One of Run, Restate and
// Compose makes it.
type Stream interface {
	Input() *protocol.RunAgentInput // before Run
	// Run answers with the run that the input asks for, and takes the answer to what the
	// thread asks by a command as well. Events that finish a run are told as tell says.
	// Before the refusal of an input comes what again makes of the interrupts that are
	// open; nil: nothing does.
	Run(tell func(finished []byte) ([][]byte, error), again func(open []json.RawMessage) ([][]byte, error))
	// Restate answers with the input's thread as it is, and with what happens there
	// until it is at rest. The event that ended the restated run, if one has, is what
	// ended makes of it; label is that run's. tell is that of Run. A refusal is one that was not written:
	// the caller may not read the thread, or the thread cannot be read.
	Restate(ended func(label string, event []byte) ([]byte, error), tell func(finished []byte) ([][]byte, error)) *refusal.Refusal
	// Compose answers with what compose says, if the caller may start runs now. An
	// error of its own ends the stream.
	Compose(compose func(Composer) error)
}

// Composer says events that are in no log.
type Composer interface {
	Say(events ...protocol.Event) error
	// Await waits for work. When the stream must end before that, so does work's
	// context, and Await returns why once work has returned.
	Await(work func(context.Context)) error
	Log() *slog.Logger
}
