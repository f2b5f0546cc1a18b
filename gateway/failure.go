package gateway

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// The codes of RUN_ERROR events by which a run ends that the agent did not end in order.
// An agent's own RUN_ERROR keeps its code, and what breaks the protocol is
// adapter.CodeProtocolViolation.
const (
	CodeUnavailable = "upstream_unavailable"  // no connection: nothing was sent
	CodeRefused     = "upstream_refused"      // 4xx, and redirects
	CodeFailed      = "upstream_failed"       // 5xx
	CodeTimeout     = "upstream_timeout"      // the message names which
	CodeTruncated   = "upstream_truncated"    // it ended before the run did
	CodeTooLarge    = "upstream_too_large"    // an event, or all of them
	CodeContentType = "upstream_content_type" // no stream of events
	CodeForgotten   = "question_forgotten"    // the agent does not know what it is sent an answer to
)

// codeCancelled is that of requests in observations that ended with their run. Clients are
// not told it.
const codeCancelled = "cancelled"

// failure is why a request has not come to an end in order, as clients may know it.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// Metadata is that of the agent's own RUN_ERROR.
	Metadata protocol.Metadata `json:"metadata,omitempty"`
	// Forgotten says that the agent does not know what it was sent answers to.
	Forgotten bool `json:"forgotten,omitempty"`

	cause error                 // for the log alone
	own   bool                  // it is the agent's own RUN_ERROR
	usage []protocol.TokenUsage // by then; a journal has it as the outcome's

	status      int  // of the answer, if that is all there is
	arrived     bool // it came of or behind an event that the agent would not send before it has what was sent
	undelivered bool // the agent has not got what was sent
	versionless bool // it was refused, and protocolVersion named as a reason
}

func failed(code, format string, args ...any) *failure {
	return &failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (f *failure) because(err error) *failure {
	f.cause = err
	return f
}

// refusesAnswers reports whether an agent has refused a request for its answers, and so
// done nothing with it: by a status, or by the code that says so.
func (f *failure) refusesAnswers() bool {
	return f.Code == CodeRefused || f.own && !f.arrived && (strings.HasPrefix(f.Code, "interrupt_") || f.forgets(""))
}

// brokeOff reports whether the agent has gone silent in the midst of what it does: it has
// died, or nobody can reach it.
func (f *failure) brokeOff() bool {
	return f != nil && !f.own && (f.Code == CodeTruncated || f.Code == CodeTimeout)
}

// Error is what clients are told.
func (f *failure) Error() string { return f.Code + ": " + f.Message }

// told is the failure as the run's end.
func (f *failure) told() error {
	return &adapter.UserError{Code: f.Code, Message: f.Message, Metadata: f.Metadata}
}

// maxExcerpt bounds what the log is shown of an answer.
const maxExcerpt = 200

// excerpt is the beginning of what came, on one line.
func excerpt(body []byte) string {
	cut := body[:min(len(body), maxExcerpt)]
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(cut), ""))
}

// forgottenCodes are how agents say in a RUN_ERROR that they do not know a question, without
// case and separators.
var forgottenCodes = []string{
	"unknowninterrupt", "interruptunknown", "interruptnotfound", "nosuchinterrupt", "unknowninterrupts", "interruptsunknown", "nopendinginterrupt", "nopendinginterrupts", "checkpointnotfound", "runnotfound", "threadnotfound", "sessionnotfound",
}

// forgottenWords are parts of messages of frameworks that say it so.
var forgottenWords = map[Dialect][]string{
	DialectMastra:    {"no snapshot found", "no suspended", "was not suspended", "could not find a suspended"},
	DialectLangGraph: {"no checkpointer set", "unknowninterrupt", "names no interrupt", "not found in pending interrupts"},
}

// forgets reports whether an agent has turned answers down because it does not know what they
// are answers to.
func (f *failure) forgets(d Dialect) bool {
	if !f.own {
		return f.status == http.StatusNotFound || f.status == http.StatusGone
	}
	code := strings.NewReplacer("_", "", "-", "", ".", "", " ", "").Replace(strings.ToLower(f.Code))
	if slices.Contains(forgottenCodes, code) {
		return true
	}
	message := strings.ToLower(f.Message)
	return slices.ContainsFunc(forgottenWords[d], func(words string) bool { return strings.Contains(message, words) })
}
