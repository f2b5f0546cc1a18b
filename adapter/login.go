package adapter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// ReasonAuthRequired is the reason of the interrupt by which Run.Login asks. Its metadata
// has authorizeUrl, where a browser begins, provider and scopes. Only a login that came
// about resolves it; it can be cancelled as any other.
const ReasonAuthRequired = "aguiws:auth_required"

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
	ErrLoginExpired  = errors.New("nobody has logged in in time")
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
	logins := r.x.node.options.Logins
	if logins == nil {
		return nil, fmt.Errorf("adapter: a login at %q: no providers are configured (Options.Logins)", provider)
	}
	scopes = slices.Compact(slices.Sorted(slices.Values(scopes)))
	l := &Login{logins, store.Login{Provider: provider, Scopes: scopes, User: r.x.frozen.User}}
	for {
		// Whether there is one may have changed by a replay, which must find the same way.
		has, err := IdempotentStep(ctx, r, "login "+provider, func(ctx context.Context) (bool, error) {
			return retry(ctx, func() (bool, error) { return logins.Has(ctx, l.of) })
		}, Given(provider, scopes))
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
	return retry(ctx, func() (Token, error) { return l.logins.Token(ctx, l.of) })
}

// Discard forgets a token that the service has refused, so that Run.Login asks for another.
// A newer one stays.
func (l *Login) Discard(ctx context.Context, t Token) error {
	_, err := retry(ctx, func() (bool, error) { return true, l.logins.Discard(ctx, l.of, t) })
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

// LoginAnswer says how an interrupt of ReasonAuthRequired ends.
type LoginAnswer struct {
	Thread       store.ThreadKey
	Interrupt    string
	Tenant, User string // as Input's
	From         Origin
	// Declined: the user has declined at the provider. Otherwise they have logged in.
	Declined bool
	Headers  map[string]string // as Input.Headers
}

// AnswerLogin ends an interrupt of ReasonAuthRequired. Sent again it is a repeat.
func (ib *inbox) AnswerLogin(ctx context.Context, a LoginAnswer) (Admitted, error) {
	entry := protocol.ResumeEntry{InterruptID: a.Interrupt, Status: protocol.ResumeResolved}
	if a.Declined {
		entry.Status = protocol.ResumeCancelled
	}
	in := Input{
		Namespace: a.Thread.Namespace, Tenant: a.Tenant, User: a.User, From: a.From, Headers: a.Headers, login: a.Interrupt,
		Run: &protocol.RunAgentInput{ThreadID: a.Thread.Thread, RunID: "login-" + uuid.NewString(), Resume: []protocol.ResumeEntry{entry}},
	}
	return ib.admission.Submit(ctx, in)
}

// showLogin puts into an interrupt what a login needs, which a configuration may word
// otherwise by the next replay: it is no part of what a replay compares.
func (n *node) showLogin(i *protocol.Interrupt, thread string, of *store.Login) {
	scopes, _ := json.Marshal(of.Scopes)
	text := func(s string) json.RawMessage {
		t, _ := json.Marshal(s)
		return t
	}
	title := n.options.Logins.Title(of.Provider)
	i.Message = "Sign in at " + title + " to go on."
	i.Metadata = protocol.Metadata{
		"authorizeUrl": text(n.options.Logins.URL(thread, i.ID)), "provider": text(of.Provider), "providerTitle": text(title),
	}
	if len(of.Scopes) > 0 {
		i.Metadata["scopes"] = scopes
	}
}
