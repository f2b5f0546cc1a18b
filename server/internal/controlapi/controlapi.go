// Package controlapi is the control API under /v1: threads, runs, dispatches and
// the inbox as JSON, for programs and operators.
//
// Every operation stands in a list with its path, its scopes and the types of its
// body and answer; the routes and the OpenAPI document are made of that list.
package controlapi

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
	"github.com/aguiws/aguiws/server/internal/requestbody"
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

// Runner is what the control API asks of an adapter.Runner.
type Runner interface {
	Threads
	Runs
	Inbox
}

// Caller is whom a request is from.
type Caller interface {
	Namespace() string
	Tenant() string
	May(scope string) bool
	// MayInput refuses an input of a user who sends too many. Each call is one.
	MayInput() *protocol.RunError
}

// Scopes as identities have them.
const (
	scopeRead     = "read"
	scopeRun      = "run"
	scopeApprover = "approver"
	scopeAdmin    = "admin"
)

// API answers requests to the control API.
type API struct {
	Config
	operations []operation
	document   []byte
}

// New makes the API.
func New(c Config) *API {
	list := operations()
	return &API{Config: c, operations: list, document: openAPI(list)}
}

// Routes are what the API answers, by patterns of http.ServeMux.
func (a *API) Routes() iter.Seq2[string, http.HandlerFunc] {
	return func(yield func(string, http.HandlerFunc) bool) {
		if !yield("GET /v1/openapi.json", a.serveDocument) {
			return
		}
		for i := range a.operations {
			op := &a.operations[i]
			serve := func(w http.ResponseWriter, r *http.Request) { a.serve(w, r, op) }
			if !yield(op.method+" /v1"+op.path, serve) {
				return
			}
		}
	}
}

func (a *API) serveDocument(w http.ResponseWriter, r *http.Request) {
	if _, refused := a.Enter(r); refused != nil {
		(&problem{Refusal: refused}).write(w)
		return
	}
	writeTagged(w, r, http.StatusOK, a.document)
}

// serve answers one call: who asks, what is asked, then the operation.
func (a *API) serve(w http.ResponseWriter, r *http.Request, op *operation) {
	caller, refused := a.Enter(r)
	if refused != nil {
		(&problem{Refusal: refused}).write(w)
		return
	}
	c := &call{API: a, caller: caller, op: op}
	if op.body != nil {
		if c.body, refused = requestbody.JSON(w, r, a.MaxBodyBytes); refused != nil {
			(&problem{Refusal: refused}).write(w)
			return
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), a.CallTimeout)
	defer cancel()
	c.r = r.WithContext(ctx)
	answer, err := c.carryOut()
	if err != nil {
		c.problem(err).write(w)
		return
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	text, err := json.Marshal(answer)
	if err != nil {
		c.problem(err).write(w)
		return
	}
	writeTagged(w, r, op.status, text)
}
