package server

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/aguiws/aguiws/server/internal/meter"
)

// answer remembers how a request was answered, to count it.
type answer struct {
	http.ResponseWriter
	status int
	code   string // of the refusal
}

func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Flush makes it an http.Flusher.
func (a *answer) Flush() { _ = a.FlushError() }

// FlushError is for http.ResponseController: whoever streams must learn that
// the client takes nothing.
func (a *answer) FlushError() error { return http.NewResponseController(a.ResponseWriter).Flush() }

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// NoteCode takes the code of a refusal down.
func (a *answer) NoteCode(code string) { a.code = code }

// countRequests counts requests by the route that answered them.
func countRequests(m *meter.Counters, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		defer func() {
			if a.status == 0 {
				a.status = http.StatusOK
			}
			// The multiplexers have written the pattern into the request.
			m.Requests.WithLabelValues(strings.TrimSuffix(r.Pattern, slash), strconv.Itoa(a.status)).Inc()
			if a.code != "" {
				m.Refused(a.code)
			}
		}()
		next.ServeHTTP(a, r)
	})
}
