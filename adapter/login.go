package adapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aguiws/aguiws/adapter/internal/retry"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// Logins is where tokens come from that users gave for their accounts at other services.
// Its methods are called concurrently. A call that they answer with store.ErrOutcomeUnknown
// is made again.
type Logins interface {
	// Has reports whether a token can be had without asking anybody. An error says that
	// there is no such provider.
	Has(ctx context.Context, of store.Login) (bool, error)
	// Token is a token that is good now, renewed if need be. Without one that can be renewed
	// it is ErrNoLogin.
	Token(ctx context.Context, of store.Login) (Token, error)
	// Discard forgets a token that its provider takes no more.
	Discard(ctx context.Context, of store.Login, t Token) error
	// Title is how people know a provider.
	Title(provider string) string
	// URL is where a person's browser begins the login that an interrupt asks for.
	URL(thread, interrupt string) string
}

var (
	// ErrNoLogin says that there is no token of the user any more: it was deleted, or its
	// provider takes it back. Calling Run.Login again asks for another.
	ErrNoLogin = errors.New("there is no login of the user any more: ask for it again")
	// ErrLoginDeclined is what Run.Login returns when somebody declined or cancelled, and
	// ErrLoginExpired when nobody came in time.
	ErrLoginDeclined = errors.New("the login was declined")
	ErrLoginExpired  = errors.New("the time to log in is over")
)

// Login is a user's account at another service, for the agent that was let use it.
type Login struct {
	logins Logins
	of     store.Login
}

// Login returns the account that the user who began the execution has at a configured
// provider, for these scopes and those that the configuration names. If no token is stored
// that has them, Login suspends the run as Ask does, with ReasonAuthRequired, and returns
// ErrSuspended. The agent is called again when the user has logged in. If they declined it
// is ErrLoginDeclined, if time ran out ErrLoginExpired: the agent can go on without. The
// error of a provider that there is not is a *StepError. Like Ask, Login is called outside
// of a Step; its result is used inside one.
func (r *Run) Login(ctx context.Context, provider string, scopes ...string) (*Login, error) {
	logins := r.x.Logins()
	if logins == nil {
		return nil, fmt.Errorf("adapter: a login at %q: no providers are configured (Options.Logins)", provider)
	}
	scopes = slices.Compact(slices.Sorted(slices.Values(scopes)))
	l := &Login{logins, store.Login{Provider: provider, Scopes: scopes, User: r.x.Frozen().User}}
	for {
		// Whether there is one may have changed by a replay, which must find the same way.
		has, err := StepWith(ctx, r, "login "+provider, StepOptions{Idempotent: true, Input: []any{provider, scopes}}, func(ctx context.Context) (bool, error) {
			return retry.Do(ctx, func() (bool, error) { return logins.Has(ctx, l.of) })
		})
		if err != nil {
			return nil, err
		}
		if has {
			return l, nil
		}
		answers, _, err := r.ask(ctx, []protocol.Interrupt{{Reason: ReasonAuthRequired}}, nil, &l.of)
		if err != nil {
			return nil, err
		}
		switch _, resolved := answers.Of[0].Payload(); {
		case resolved: // what counts is whether a token is there
		case answers.Of[0].Expired():
			return nil, ErrLoginExpired
		default:
			return nil, ErrLoginDeclined
		}
	}
}

// Token returns a token that is good now. It is for use inside a Step, and must not
// become a result, an event or a log: its JSON is an error, and its text says nothing, outside of unexported fields.
// ErrNoLogin: Run.Login asks again.
func (l *Login) Token(ctx context.Context) (Token, error) {
	return retry.Do(ctx, func() (Token, error) { return l.logins.Token(ctx, l.of) })
}

// Discard forgets a token that the service has refused, so that Run.Login asks for another.
// A newer one stays.
func (l *Login) Discard(ctx context.Context, t Token) error {
	_, err := retry.Do(ctx, func() (bool, error) { return true, l.logins.Discard(ctx, l.of, t) })
	return err
}

// Token is a user's token for a service.
type Token struct {
	Type    string // "Bearer", mostly
	Access  string
	Expires time.Time // zero: it does not say
	Version string    // which of the stored ones it is
}

// Header is the value of an Authorization header.
func (t Token) Header() string { return t.Type + " " + t.Access }

// Format writes nothing of the token, whatever the verb. fmt does not call it for one in an
// unexported field.
func (t Token) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[token]") }

// MarshalJSON is an error: a token must not be stored where anything else is.
func (t Token) MarshalJSON() ([]byte, error) {
	return nil, errors.New("a token has no JSON: it must not be journaled, told or logged")
}
