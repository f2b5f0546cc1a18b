package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"slices"
	"time"
)

// Authenticator decides who a request is from. Authenticate is called
// concurrently, once a socket or request. It returns ErrUnauthenticated (401)
// for a credential that is missing or bad, ErrForbidden (403) for one that may
// not use this server, and any other error (503) when it cannot tell.
type Authenticator interface {
	Authenticate(ctx context.Context, c Credential) (Identity, error)
}

var (
	// ErrUnauthenticated says that the credential is missing or bad.
	ErrUnauthenticated = errors.New("server: no valid credential")
	// ErrForbidden says that the credential is good but not for this server.
	ErrForbidden = errors.New("server: the credential is not for this server")
)

// Credential is what a request offers. The bearer token decides if there is
// one: an Authenticator looks at cookies only when Bearer is empty.
type Credential struct {
	Bearer  string
	Request *http.Request
}

// Identity is who a request is from.
type Identity struct {
	// Namespace is where the identity's thread ids mean something. Users who
	// share threads share one.
	Namespace string
	Tenant    string
	User      string
	// Scopes are what the identity may do. Nil: ScopeRead and ScopeRun.
	Scopes []string
	// Expires closes the identity's sockets. Zero: never.
	Expires time.Time
	// Revoked closes them when it is closed. Nil: never.
	Revoked <-chan struct{}
}

// Scopes that the bindings ask for.
const (
	ScopeRead = "read" // follow threads
	ScopeRun  = "run"  // start runs, answer their interrupts, cancel them
	// ScopeApprover is for the tenant's inbox, ScopeAdmin for everything of the
	// tenant, ScopeMetrics for /metrics.
	ScopeApprover = "approver"
	ScopeAdmin    = "admin"
	ScopeMetrics  = "metrics"
)

func (id *Identity) may(scope string) bool {
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
		Scopes: []string{ScopeRead, ScopeRun, ScopeApprover, ScopeAdmin, ScopeMetrics}}, nil
}

// public reports whether an address can be reached from other machines. What
// is no IP address, such as a Unix socket, cannot.
func public(addr net.Addr) bool {
	if addr == nil {
		return false
	}
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return ip != nil && !ip.IsLoopback()
}
