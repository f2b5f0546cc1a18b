// Package identity tells who a request is from: everybody is the same user
// (None), a list of tokens says it (Tokens), or an issuer does (JWT). Each is
// what server.Options.Auth takes; a program may bring one of its own, as examples/embed
// does for the sessions of a site.
package identity

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

var (
	// ErrUnauthenticated says that the credential is missing or bad.
	ErrUnauthenticated = errors.New("identity: no valid credential")
	// ErrForbidden says that the credential is good but not for this server.
	ErrForbidden = errors.New("identity: the credential is not for this server")
	// ErrForeignPage says that a cookie came along with the request of a page that is not
	// the server's own.
	ErrForeignPage = errors.New("identity: a page of another origin asks with a cookie")
)

// Authenticator decides who a request is from. Authenticate is called
// concurrently, once a socket or request. It returns ErrUnauthenticated (401)
// for a credential that is missing or bad, ErrForbidden (403) for one that may
// not use this server, ErrForeignPage (403) for one that its owner did not mean to show,
// and any other error (503) when it cannot tell.
type Authenticator interface {
	Authenticate(ctx context.Context, c Credential) (Identity, error)
}

// Credential is what a request offers. The bearer token decides if there is
// one: an authenticator looks at cookies only when Bearer is empty. A request with a bearer
// may come without an Origin, so nothing else keeps a foreign page from using the cookie.
type Credential struct {
	Bearer  string
	Request *http.Request
}

// Identity is who a request is from.
type Identity struct {
	// Namespace is where the identity's thread ids mean something: OwnNamespace for a user
	// who shares none. Users who share threads share one. Begin it with the tenant, as Tokens and JWT do:
	// TENANT/user/NAME or TENANT/shared/NAME, where TENANT is escaped as
	// url.PathEscape does it. The server keeps the tenant of a namespace of that
	// form apart by its name, too, and not of another one: two tenants that have
	// the same one share its threads.
	Namespace string
	Tenant    string
	User      string
	// Name is what people call the user. It is shown to that user, and decides nothing.
	Name string
	// Scopes are what the identity may do. Nil: ScopeRead and ScopeRun.
	Scopes []string
	// Expires closes the identity's sockets. Zero: never.
	Expires time.Time
	// Revoked closes them when it is closed. Nil: never.
	Revoked <-chan struct{}
}

// InTenant reports whether a namespace may lie in a tenant, by its name. Whether
// a thread of it does is kept with the thread.
func InTenant(namespace, tenant string) bool {
	of, name, _ := strings.Cut(namespace, "/")
	kind, _, formed := strings.Cut(name, "/")
	return !formed || kind != "user" && kind != "shared" || of == url.PathEscape(tenant)
}

// Scopes that the bindings ask for.
const (
	ScopeRead = "read" // follow threads
	// ScopeRun is for starting runs, answering their interrupts and cancelling them.
	// Without ScopeRead the events of the runs that its own inputs began are all that it
	// is told of a thread (docs/binding/security.md, Scopes).
	ScopeRun = "run"
	// ScopeApprover is for the tenant's inbox, ScopeAdmin for everything of the
	// tenant, ScopeMetrics for /metrics.
	ScopeApprover = "approver"
	ScopeAdmin    = "admin"
	ScopeMetrics  = "metrics"
	// ScopeTenants lets ScopeAdmin read what the tenants have that are not its own, where
	// a request asks for all of them, webhooks, with resending and enabling, and what waits
	// for workers.
	ScopeTenants = "tenants"
)

// May reports whether the identity may do what a scope allows.
func (id *Identity) May(scope string) bool {
	if id.Scopes == nil {
		return scope == ScopeRead || scope == ScopeRun
	}
	return slices.Contains(id.Scopes, scope)
}

// None authenticates everybody as one user of one tenant with one namespace
// and all scopes, so that all browsers share their threads. It serves only on
// loopback addresses.
type None struct{}

// Authenticate answers the one identity.
func (None) Authenticate(context.Context, Credential) (Identity, error) {
	return Identity{Namespace: "local", Tenant: "local", User: "local",
		Scopes: []string{ScopeRead, ScopeRun, ScopeApprover, ScopeAdmin, ScopeMetrics, ScopeTenants}}, nil
}
