// Package refusal answers HTTP requests that get no further, and lets them be
// counted by why.
package refusal

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/protocol/problem"
)

// Refusal is an HTTP answer to a request that gets no further.
type Refusal struct {
	Status  int
	Code    string
	Message string
	Retry   int               // seconds, for Retry-After; 0 leaves it out
	Fields  []problem.Problem // what is wrong in a body that was read; nil: it is not about that
}

// Error is a refusal as an error, where something else is in between.
type Error struct{ *Refusal }

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// New is a refusal that says no more than these.
func New(status int, code, message string) *Refusal {
	return &Refusal{Status: status, Code: code, Message: message}
}

// After is the refusal with the time after which to come again.
func (f *Refusal) After(wait time.Duration) *Refusal {
	later := *f
	later.Retry = int(math.Ceil(wait.Seconds()))
	return &later
}

// Write answers in the form of the bindings.
func (f *Refusal) Write(w http.ResponseWriter) {
	f.WriteAs(w, "application/json", struct {
		Code    string            `json:"code"`
		Message string            `json:"message"`
		Fields  []problem.Problem `json:"fields,omitzero"`
	}{f.Code, f.Message, f.Fields})
}

// WriteAs answers in another form: body is written as JSON.
func (f *Refusal) WriteAs(w http.ResponseWriter, contentType string, body any) {
	noteCode(w, f.Code)
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	if f.Retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.Retry))
	}
	if f.Status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", "Bearer")
	}
	w.WriteHeader(f.Status)
	json.NewEncoder(w).Encode(body)
}

// Noter is a http.ResponseWriter, or one below it by Unwrap, that is told the
// code of a refusal that is written to it.
type Noter interface{ NoteCode(code string) }

func noteCode(w http.ResponseWriter, code string) {
	for {
		switch over := w.(type) {
		case Noter:
			over.NoteCode(code)
			return
		case interface{ Unwrap() http.ResponseWriter }:
			w = over.Unwrap()
		default:
			return
		}
	}
}
