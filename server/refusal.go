package server

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/server/identity"
)

// refusal is an HTTP answer to a request that gets no further.
type refusal struct {
	status  int
	code    string
	message string
	retry   int // seconds, for Retry-After; 0 leaves it out
}

var (
	refuseHost       = &refusal{http.StatusForbidden, "host_not_allowed", "this server does not answer to that Host", 0}
	refuseOrigin     = &refusal{http.StatusForbidden, "origin_not_allowed", "pages of that origin may not use this server", 0}
	refuseNoOrigin   = &refusal{http.StatusForbidden, "origin_required", "a request without an Origin needs a bearer credential", 0}
	refusePublic     = &refusal{http.StatusForbidden, "loopback_only", "without authentication only loopback addresses are served", 0}
	refuseUpgrade    = &refusal{http.StatusBadRequest, "upgrade_required", "this is a WebSocket endpoint: GET, HTTP/1.1, Upgrade: websocket, version 13", 0}
	refuseProtocols  = &refusal{http.StatusBadRequest, "unsupported_subprotocol", "supported subprotocols: " + Subprotocol, 0}
	refuseBearers    = &refusal{http.StatusBadRequest, "ambiguous_credential", "more than one bearer subprotocol was offered", 0}
	refuseCredential = &refusal{http.StatusUnauthorized, "unauthenticated", "a valid credential is needed", 0}
	refuseForbidden  = &refusal{http.StatusForbidden, "forbidden", "the credential is not for this server", 0}
	refuseScope      = &refusal{http.StatusForbidden, codeForbidden, "this identity may not do that", 0}
	refuseAuthDown   = &refusal{http.StatusServiceUnavailable, "authenticator_unavailable", "the credential cannot be checked now", 5}
	refuseAgent      = &refusal{http.StatusNotFound, "unknown_agent", "there is no agent of that name", 0}
	refuseUser       = &refusal{http.StatusTooManyRequests, "too_many_sockets", "this user has too many open sockets", 10}
	refuseAddress    = &refusal{http.StatusTooManyRequests, "too_many_sockets", "this address has too many open sockets", 10}
	refuseRate       = &refusal{http.StatusTooManyRequests, codeRateLimited, "too many requests", 1}
	refuseOverload   = &refusal{http.StatusServiceUnavailable, "overloaded", "this server has too many open sockets", 10}
	refuseDraining   = &refusal{http.StatusServiceUnavailable, "server_draining", "this server is shutting down", 1}
)

// after is the refusal with the time after which to come again.
func (f *refusal) after(wait time.Duration) *refusal {
	later := *f
	later.retry = int(math.Ceil(wait.Seconds()))
	return &later
}

func (f *refusal) write(w http.ResponseWriter) {
	noteCode(w, f.code)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	if f.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(f.status)
	json.NewEncoder(w).Encode(struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	}{f.code, f.message})
}

// refusalOf turns an Authenticator's error into an answer.
func refusalOf(err error) *refusal {
	switch {
	case errors.Is(err, identity.ErrUnauthenticated):
		return refuseCredential
	case errors.Is(err, identity.ErrForbidden):
		return refuseForbidden
	default:
		return refuseAuthDown
	}
}
