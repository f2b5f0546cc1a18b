package controlapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// problem is an error of the control API (RFC 9457). Its code is one of the
// bindings' where they have one; details are further members.
type problem struct {
	*refusal.Refusal
	details map[string]any
}

func newProblem(status int, code, detail string) *problem {
	return &problem{Refusal: refusal.New(status, code, detail)}
}

func (p *problem) Error() string { return p.Code + ": " + p.Message }

// write puts the details beside the members that every problem has.
func (p *problem) write(w http.ResponseWriter) {
	members := maps.Clone(p.details)
	if members == nil {
		members = map[string]any{}
	}
	members["type"], members["title"], members["status"] = "about:blank", http.StatusText(p.Status), p.Status
	members["code"], members["detail"] = p.Code, p.Message
	p.WriteAs(w, "application/problem+json", members)
}

var (
	errNoThread    = newProblem(http.StatusNotFound, "thread_not_found", "there is no such thread")
	errNoRun       = newProblem(http.StatusNotFound, "run_not_found", "the thread has no run with that id")
	errNoInterrupt = newProblem(http.StatusNotFound, "interrupt_not_found", "the thread has no open interrupt with that id")
	errCannotPause = newProblem(http.StatusConflict, "cannot_pause", "the run's agent never comes to a step at which it could be paused: wait for the run, or cancel it")
	errThreadInUse = newProblem(http.StatusConflict, "thread_in_use", "a run is active, an input waits, or the thread waits for one that it has called: end them first")
)

func badRequest(detail string) *problem {
	return newProblem(http.StatusBadRequest, refusal.CodeInvalidInput, detail)
}

// problem is what a caller is told of an error. The log is told what went wrong inside.
func (c *call) problem(err error) *problem {
	var p *problem
	var refused *refusal.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &refused):
		return &problem{Refusal: refused.Refusal}
	case errors.Is(err, store.ErrBadCursor):
		return badRequest("the cursor is none that this list has given")
	case errors.Is(err, store.ErrOutcomeUnknown), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		if c.r.Context().Err() != nil && errors.Is(err, context.Canceled) {
			c.Gate.Options.Logger.Debug("the client has gone meanwhile", "operation", c.op.id)
		} else {
			c.Gate.Options.Logger.Warn("the store did not answer", "operation", c.op.id, "error", err)
		}
		return &problem{Refusal: refusal.New(http.StatusServiceUnavailable, adapter.CodeStoreUnavailable,
			"the store did not answer and the outcome is unknown: send the same request again").After(time.Second)}
	}
	if errors.Is(err, store.ErrCorrupted) {
		c.Gate.Options.Logger.Error("a thread cannot be read", "operation", c.op.id, "thread", c.key.Thread, "error", err)
		return newProblem(http.StatusInternalServerError, adapter.CodeStateCorrupted,
			"the stored thread cannot be read; all of it can be stopped, and the thread can be deleted")
	}
	c.Gate.Options.Logger.Error("an operation failed", "operation", c.op.id, "error", err)
	return newProblem(http.StatusInternalServerError, "internal_error", "the server could not do that; its log says why")
}

// inputStatus is how a refusal of an input reads over HTTP: 409 if it is not here.
var inputStatus = map[string]int{
	adapter.CodeInvalidInput:      http.StatusBadRequest,
	adapter.CodeUnknownInterrupt:  http.StatusNotFound,
	adapter.CodePayloadInvalid:    http.StatusUnprocessableEntity,
	adapter.CodePayloadTooComplex: http.StatusUnprocessableEntity,
	adapter.CodeOwnApproval:       http.StatusForbidden,
	adapter.CodeLoginRequired:     http.StatusForbidden,
	refusal.CodeRateLimited:       http.StatusTooManyRequests,
	"overloaded":                  http.StatusServiceUnavailable,
	adapter.CodeServerDraining:    http.StatusServiceUnavailable,
	adapter.CodeStoreUnavailable:  http.StatusServiceUnavailable,
	adapter.CodeStateCorrupted:    http.StatusInternalServerError,
}

// problemOfInput says why an input is refused.
func problemOfInput(e *protocol.RunError) *problem {
	p := newProblem(cmp.Or(inputStatus[e.Code], http.StatusConflict), e.Code, e.Message)
	if text := e.Metadata["aguiws"]; text != nil {
		_ = json.Unmarshal(text, &p.details) // it is ours, and only adds to what is said
	}
	if ms, ok := p.details["retryAfterMs"].(float64); ok {
		p.Retry = max(1, int(math.Ceil(ms/1000)))
	}
	return p
}
