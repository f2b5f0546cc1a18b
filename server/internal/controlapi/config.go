package controlapi

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/notices"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/login"
	"github.com/aguiws/aguiws/server/webhook"
)

// Config is what an API stands on. All of it may be used concurrently.
type Config struct {
	Runner  *runner.Runner
	Notices *notices.Feed
	Record  Record
	// Webhooks sends the server's webhooks; nil: there are none.
	Webhooks *webhook.Sender
	// Logins are served if they are not nil.
	Logins *login.Desk
	// Work counts what waits for workers.
	Work func(context.Context) ([]store.WorkStats, error)
	// Upstreams tells of the agents that other servers serve.
	Upstreams func() []Upstream
	// Nodes tells of the nodes that share the store, and whether those are all. Store
	// tells of the store. Their answers may be a moment old.
	Nodes func(context.Context) (nodes []Node, whole bool)
	Store func(context.Context) StoreStatus
	// Enter decides whom a request is from.
	Enter func(*http.Request) (Caller, *refusal.Refusal)
	// Stranger is whoever sends a request that nothing says whom it is from.
	Stranger func(*http.Request) Caller
	// Agents tells of the agents, which it may ask until ctx is done.
	Agents func(ctx context.Context) []Agent
	// AgentNamed is what an agent is called, and whether it is served; "" is the default one.
	AgentNamed   func(name string) (string, bool)
	CallTimeout  time.Duration // of one operation
	MaxBodyBytes int64
	Logger       *slog.Logger
}

// Caller is whom a request is from.
type Caller interface {
	Who() identity.Identity
	Namespace() string
	Tenant() string
	User() string // as inputs say whose they are; "": users are not told apart
	// NameOf is what inputs say of another user of the tenant; "": as User.
	NameOf(user string) string
	// Origin is how what the caller sends has come.
	Origin(store.Through) store.Origin
	// Headers are those of the request that go along with an input.
	Headers() map[string]string
	// Credential is the bearer that the request came with; "": none.
	Credential() string
	May(scope string) bool
	// MayInput refuses an input of a user who sends too many. Each call is one.
	MayInput() *protocol.RunError
	// Weigh counts a call that has looked at so many threads as that many more requests
	// as it takes the store longer: those that come next may be too many.
	Weigh(threads int)
	// Wait counts a request that stays open. The context that it returns ends with ctx,
	// and, its cause being a *refusal.Error, with the credential or the server. The
	// caller calls release.
	Wait(ctx context.Context) (waiting context.Context, release func(), refused *refusal.Refusal)
	// Hold counts what a request holds. The caller releases it.
	Hold(context.Context) Held
}

// Held counts what a request holds. Its methods wait for room; what finds none is a
// *refusal.Error.
type Held interface {
	Body(bytes int64) error  // so many bytes more of the body
	Build(bytes int64) error // for making an answer of so many stored bytes more
	Keep(bytes int64) error  // for an answer of so many bytes, instead of what was for making it
	Release()
}

// Record is the record of what was decided.
type Record interface {
	Decisions(ctx context.Context, q store.DecisionQuery) (store.DecisionPage, error)
	ForgetDecisions(ctx context.Context, key store.ThreadKey) error
}
