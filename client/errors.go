package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/aguiws/aguiws/protocol"
)

var (
	// ErrClosed is what calls get after Close.
	ErrClosed = errors.New("client: closed")
	// ErrDeleted ends the runs of a thread that was deleted.
	ErrDeleted = errors.New("client: the thread was deleted")
	// ErrTooLarge refuses an input that is larger than the server takes.
	ErrTooLarge = errors.New("client: the input is larger than a frame may be")
)

// RefusedError is a handshake, a frame, an input or a request that the server refused, which
// had no effect. docs/binding/codes.md lists the codes.
type RefusedError struct {
	Code    string
	Message string // for people
	// RetryAfter is when to try the same again; 0 says that it would not help, or
	// that nobody knows.
	RetryAfter time.Duration

	// InterruptIDs are those that the refusal is about.
	InterruptIDs []string
	// AnsweredAt and Label say when an interrupt was answered otherwise, and for
	// which run.
	AnsweredAt time.Time
	Label      string
	// Fields are what is wrong in payloads.
	Fields []Field

	// Status, Header and Body are of the HTTP answer to a handshake, or to a request of an
	// Inbox.
	Status int
	Header http.Header
	Body   []byte
}

// Field is a place in the payload of an answer that does not fit its schema.
type Field struct {
	InterruptID string `json:"interruptId"`
	Pointer     string `json:"pointer"` // of JSON
	Message     string `json:"message"`
}

func (e *RefusedError) Error() string {
	what := "client: refused"
	if e.Status != 0 {
		what = fmt.Sprintf("%s with %d", what, e.Status)
	}
	if e.Code != "" {
		what += ": " + e.Code
	}
	if e.Message != "" {
		what += ": " + e.Message
	}
	return what
}

// passes reports whether the server asked to be asked again.
func (e *RefusedError) passes() bool {
	switch e.Code {
	case "store_unavailable", "server_draining", "rate_limited":
		return true
	}
	return e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError
}

// FailedError is a run that began and failed.
type FailedError struct {
	Code    string
	Message string // for people
	Event   *protocol.RunError
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("client: the run failed: %s: %s", e.Code, e.Message)
}

// FrameError is a frame that cannot be read.
type FrameError struct {
	Data []byte
	err  error
}

func (e *FrameError) Error() string { return fmt.Sprintf("client: %v in %.200s", e.err, e.Data) }

// Unwrap is why.
func (e *FrameError) Unwrap() error { return e.err }

// StoppedError ends a client that has nothing to gain from connecting again.
type StoppedError struct {
	Code int   // of the close frame; 0 for a handshake that was refused
	Err  error // why
}

func (e *StoppedError) Error() string { return fmt.Sprintf("client: stopped: %v", e.Err) }

// Unwrap is why.
func (e *StoppedError) Unwrap() error { return e.Err }

func refusedFrame(f *Frame) *RefusedError {
	return &RefusedError{Code: f.Code, Message: f.Message, RetryAfter: millis(f.RetryAfterMS)}
}

// refusalDetails are what a refusal of any code may have beside the code.
type refusalDetails struct {
	InterruptIDs []string  `json:"interruptIds"`
	AnsweredAt   time.Time `json:"answeredAt"`
	Label        string    `json:"runId"`
	Fields       []Field   `json:"fields"`
	RetryAfterMS int64     `json:"retryAfterMs"`
}

func (d *refusalDetails) into(e *RefusedError) {
	e.InterruptIDs, e.AnsweredAt, e.Label = d.InterruptIDs, d.AnsweredAt, d.Label
	e.Fields, e.RetryAfter = d.Fields, millis(d.RetryAfterMS)
}

// refusedRun reads the RUN_ERROR that refuses an input.
func refusedRun(e *protocol.RunError) *RefusedError {
	refused := &RefusedError{Code: e.Code, Message: e.Message}
	var more refusalDetails
	if json.Unmarshal(e.Metadata["aguiws"], &more) == nil {
		more.into(refused)
	}
	return refused
}

func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// millis is no less than nothing, and small enough to be added to.
func millis(n int64) time.Duration { return time.Duration(min(max(n, 0), 1<<40)) * time.Millisecond }
