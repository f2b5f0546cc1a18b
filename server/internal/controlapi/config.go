package controlapi

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// Config is what an API stands on. All of it may be used concurrently.
type Config struct {
	Runner Runner
	// Enter decides whom a request is from.
	Enter func(*http.Request) (Caller, *refusal.Refusal)
	// HasAgent reports whether there is an agent of that name.
	HasAgent     func(name string) bool
	CallTimeout  time.Duration // of one operation
	MaxBodyBytes int64
	Logger       *slog.Logger
}

// Caller is whom a request is from.
type Caller interface {
	Namespace() string
	Tenant() string
	User() string // as inputs say whose they are; "": users are not told apart
	May(scope string) bool
	// MayInput refuses an input of a user who sends too many. Each call is one.
	MayInput() *protocol.RunError
}
