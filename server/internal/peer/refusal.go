package peer

import (
	"errors"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/strictjson"
)

var (
	refuseHost       = refusal.New(http.StatusForbidden, "host_not_allowed", "this server does not answer to that Host: its setting hosts (--hosts, Options.Hosts) does not list it")
	refuseOrigin     = refusal.New(http.StatusForbidden, "origin_not_allowed", "a page of another origin may ask by fetch, which sends an Origin, and not by an image, a script or a link")
	refuseNoOrigin   = refusal.New(http.StatusForbidden, "origin_required", "a request without an Origin needs a bearer credential")
	refusePublic     = refusal.New(http.StatusForbidden, "loopback_only", "without authentication only loopback addresses are served")
	RefuseUpgrade    = refusal.New(http.StatusBadRequest, "upgrade_required", "this is a WebSocket endpoint: GET, HTTP/1.1, Upgrade: websocket, version 13")
	refuseBearers    = refusal.New(http.StatusBadRequest, "ambiguous_credential", "more than one bearer subprotocol was offered")
	RefuseCredential = refusal.New(http.StatusUnauthorized, "unauthenticated", "a valid credential is needed")
	// RefuseForeignPage is for a session that another page than the server's own would use.
	RefuseForeignPage = refusal.New(http.StatusForbidden, "origin_not_allowed", "a session's cookie counts from the server's own page alone: another page, or a program, needs a bearer token")
	refuseForbidden   = refusal.New(http.StatusForbidden, "forbidden", "the credential is not for this server")
	RefuseScope       = refusal.New(http.StatusForbidden, refusal.CodeForbidden, "this identity may not do that")
	RefuseAuthDown    = refusal.New(http.StatusServiceUnavailable, "authenticator_unavailable", "the credential cannot be checked now").After(5 * time.Second)
	RefuseAgent       = refusal.New(http.StatusNotFound, "unknown_agent", "there is no agent of that name")
	refuseUser        = refusal.New(http.StatusTooManyRequests, refusal.CodeTooManySockets, "this user has too many open sockets").After(10 * time.Second)
	refuseAddress     = refusal.New(http.StatusTooManyRequests, refusal.CodeTooManySockets, "this address has too many open sockets").After(10 * time.Second)
	RefuseRate        = refusal.New(http.StatusTooManyRequests, refusal.CodeRateLimited, "too many requests").After(time.Second)
	refuseOverload    = refusal.New(http.StatusServiceUnavailable, refusal.CodeOverloaded, "this server has too many open sockets").After(10 * time.Second)
	RefuseShare       = refusal.New(http.StatusServiceUnavailable, refusal.CodeOverloaded, "too much is held for this user or address already: finish or read that first").After(5 * time.Second)
	RefuseDraining    = refusal.New(http.StatusServiceUnavailable, "server_draining", "this server is shutting down").After(time.Second)
	RefuseReading     = refusal.New(http.StatusForbidden, refusal.CodeForbidden, "this identity may not follow threads")
	RefuseCorrupted   = refusal.New(http.StatusInternalServerError, adapter.CodeStateCorrupted, "the stored thread cannot be read; the thread can be deleted")
	RefuseWork        = refusal.New(http.StatusServiceUnavailable, refusal.CodeOverloaded, "this server has too much to do").After(10 * time.Second)
	RefuseThreadID    = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "a thread's id has "+strictjson.NameRule)
	RefuseStore       = refusal.New(http.StatusServiceUnavailable, refusal.CodeStore, "the store does not answer").After(time.Second)
)

// RefusalOf turns an Authenticator's error into an answer.
func RefusalOf(err error) *refusal.Refusal {
	switch {
	case errors.Is(err, identity.ErrUnauthenticated):
		return RefuseCredential
	case errors.Is(err, identity.ErrForbidden):
		return refuseForbidden
	case errors.Is(err, identity.ErrForeignPage):
		return RefuseForeignPage
	default:
		return RefuseAuthDown
	}
}
