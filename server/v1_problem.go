package server

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// problem is an error of the control API (RFC 9457). Code is one of the
// bindings' where they have one; Details are further members.
type problem struct {
	Status  int
	Code    string
	Detail  string
	Details map[string]any
	retry   int // seconds; 0: say nothing
}

func (p *problem) Error() string { return p.Code + ": " + p.Detail }

// MarshalJSON writes the details beside the members that every problem has.
func (p *problem) MarshalJSON() ([]byte, error) {
	members := maps.Clone(p.Details)
	if members == nil {
		members = map[string]any{}
	}
	members["type"], members["title"], members["status"] = "about:blank", http.StatusText(p.Status), p.Status
	members["code"], members["detail"] = p.Code, p.Detail
	return json.Marshal(members)
}

func (p *problem) write(w http.ResponseWriter) {
	noteCode(w, p.Code)
	h := w.Header()
	h.Set("Content-Type", "application/problem+json")
	h.Set("Cache-Control", "no-store")
	if p.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(p.retry))
	}
	if p.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(p)
}

var (
	errNoThread    = &problem{Status: http.StatusNotFound, Code: "thread_not_found", Detail: "there is no such thread"}
	errNoRun       = &problem{Status: http.StatusNotFound, Code: "run_not_found", Detail: "the thread has no run with that id"}
	errNoInterrupt = &problem{Status: http.StatusNotFound, Code: "interrupt_not_found", Detail: "the thread has no open interrupt with that id"}
	errThreadInUse = &problem{Status: http.StatusConflict, Code: "thread_in_use", Detail: "a run is active or waits, or interrupts are open: end them first"}
)

func badRequest(detail string) *problem {
	return &problem{Status: http.StatusBadRequest, Code: codeInvalidInput, Detail: detail}
}

// problemOf is a refusal in the control API's form.
func problemOf(r *refusal) *problem {
	return &problem{Status: r.status, Code: r.code, Detail: r.message, retry: r.retry}
}

// problem is what a caller is told of an error. What went wrong inside is told
// to the log.
func (c *v1Call) problem(err error) *problem {
	var p *problem
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, store.ErrBadCursor):
		return badRequest("the cursor is none that this list has given")
	case errors.Is(err, store.ErrOutcomeUnknown), c.r.Context().Err() != nil:
		c.srv.opts.Logger.Warn("the store did not answer", "operation", c.op.id, "error", err)
		return &problem{Status: http.StatusServiceUnavailable, Code: adapter.CodeStoreUnavailable,
			Detail: "the store did not answer and the outcome is unknown: send the same request again", retry: 1}
	}
	if errors.Is(err, store.ErrCorrupted) {
		c.srv.opts.Logger.Error("a thread cannot be read", "operation", c.op.id, "thread", c.key.Thread, "error", err)
		return &problem{Status: http.StatusInternalServerError, Code: adapter.CodeStateCorrupted,
			Detail: "what is stored of the thread cannot be read; it can be interrupted and deleted"}
	}
	c.srv.opts.Logger.Error("an operation failed", "operation", c.op.id, "error", err)
	return &problem{Status: http.StatusInternalServerError, Code: "internal_error", Detail: "the server could not do that; its log says why"}
}

// refusedStatus is how a refusal of an input reads over HTTP.
var refusedStatus = map[string]int{
	adapter.CodeInvalidInput:     http.StatusBadRequest,
	adapter.CodeUnknownInterrupt: http.StatusNotFound,
	adapter.CodePayloadInvalid:   http.StatusUnprocessableEntity,
	codeRateLimited:              http.StatusTooManyRequests,
	adapter.CodeServerDraining:   http.StatusServiceUnavailable,
	adapter.CodeStoreUnavailable: http.StatusServiceUnavailable,
	adapter.CodeStateCorrupted:   http.StatusInternalServerError,
}

func problemOfRefusal(e *protocol.RunError) *problem {
	p := &problem{Status: refusedStatus[e.Code], Code: e.Code, Detail: e.Message}
	if p.Status == 0 {
		p.Status = http.StatusConflict
	}
	if text := e.Metadata["aguiws"]; text != nil {
		_ = json.Unmarshal(text, &p.Details) // it is ours, and only adds to what is said
	}
	if ms, ok := p.Details["retryAfterMs"].(float64); ok {
		p.retry = max(1, int(math.Ceil(ms/1000)))
	}
	return p
}
