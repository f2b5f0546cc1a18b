// Package requestbody reads the bodies of HTTP requests within bounds.
package requestbody

import (
	"errors"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/refusal"
)

// A body must be there after Timeout and a second for each slowest bytes of it that memory
// was taken for.
const (
	Timeout = 30 * time.Second
	slowest = 32 << 10
)

var (
	mediaType  = refusal.New(http.StatusUnsupportedMediaType, "unsupported_media_type", "the body must be JSON: Content-Type: application/json, without Content-Encoding")
	tooLarge   = refusal.New(http.StatusRequestEntityTooLarge, "body_too_large", "the body is larger than this server takes: an input may leave out the messages that its thread has")
	tooSlow    = refusal.New(http.StatusRequestTimeout, "body_too_slow", "the body did not arrive in time").After(time.Second)
	unreadable = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "the body could not be read")
	notUTF8    = refusal.New(http.StatusBadRequest, refusal.CodeInvalidInput, "the body is not UTF-8")
)

// Room is asked before a body takes so many bytes more. It may wait; a *refusal.Error of
// it is the answer to the request.
type Room func(bytes int64) error

// JSON reads the body of a request that must be JSON, and does not look whether
// it is. Pages cannot send that type to a foreign server without being asked
// first.
func JSON(w http.ResponseWriter, r *http.Request, most int64, room Room) ([]byte, *refusal.Refusal) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	encoding := r.Header.Get("Content-Encoding")
	if err != nil || kind != "application/json" || encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, mediaType
	}
	return Text(w, r, most, room)
}

// Text reads a body of at most so many bytes of UTF-8, whatever it is.
func Text(w http.ResponseWriter, r *http.Request, most int64, room Room) ([]byte, *refusal.Refusal) {
	control := http.NewResponseController(w)
	until := time.Now().Add(Timeout)
	control.SetReadDeadline(until)
	body, err := budget.ReadAll(http.MaxBytesReader(w, r.Body, most), func(bytes int64) error {
		began := time.Now()
		if err := room(bytes); err != nil {
			return err
		}
		// The time for which the body waited for room is not the client's fault.
		until = until.Add(time.Since(began) + time.Duration(bytes)*time.Second/slowest)
		control.SetReadDeadline(until)
		return nil
	})
	if err != nil {
		if full, ok := errors.AsType[*refusal.Error](err); ok {
			return nil, full.Refusal
		}
		_, large := errors.AsType[*http.MaxBytesError](err)
		switch {
		case large:
			return nil, tooLarge
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, tooSlow
		default:
			return nil, unreadable
		}
	}
	control.SetReadDeadline(time.Time{})
	if !utf8.Valid(body) {
		return nil, notUTF8
	}
	return body, nil
}
