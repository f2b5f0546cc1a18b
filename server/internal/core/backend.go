package core

import (
	"context"
	"encoding/json"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/controlapi"
	"github.com/aguiws/aguiws/server/internal/notices"
)

// Backend is what a Server asks of an runner.Runner, by who asks. All methods
// may be called concurrently.
type Backend interface {
	notices.Source
	controlapi.Record

	// What a session makes of what its client sends.
	Submit(ctx context.Context, in admission.Input) (admission.Admitted, error)
	Repeat(ctx context.Context, key store.ThreadKey, runID, label string) (follow.Repeated, error)
	Cancel(ctx context.Context, key store.ThreadKey, label string, by admission.Actor) (admission.Cancelled, error)
	CancelWaiting(ctx context.Context, key store.ThreadKey, by admission.Actor) (string, error)
	CancelLeft(ctx context.Context, key store.ThreadKey, runID, label string, behind time.Duration) (admission.Cancelled, error)

	// What a cursor follows, and what was said before.
	Follow(key store.ThreadKey, notify func()) Follower
	Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (*store.MessagePage, error)

	// What the server itself asks and tells.
	Shutdown(ctx context.Context) error
	Durable() bool
	StoreAvailable() bool
	OnStore(changed func())
	Capabilities() json.RawMessage
	Unanswered(agent string) runner.UnansweredPolicy
	DefaultAgent() string
}

// Follower is a cursor over one thread's log. One goroutine uses it; its
// notify function is called from any.
type Follower interface {
	Attach(ctx context.Context, after *store.Position) (*follow.Attached, error)
	Seek(store.Position)
	Window(messages int)
	Only(run string)
	All()
	Next(ctx context.Context) (follow.Page, error)
	Close()
}

// Runner is an runner.Runner as a backend.
type Runner struct{ *runner.Runner }

// Follow subscribes to a thread. The caller closes the follower.
func (r Runner) Follow(key store.ThreadKey, notify func()) Follower {
	return r.Runner.Follow(key, notify)
}
