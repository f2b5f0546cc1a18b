package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/aguiws/aguiws/llm/chat"
)

// The codes of RUN_ERROR events by which a run ends whose model did not answer.
const (
	CodeRefused     = "model_refused"      // 4xx, a redirect, or no chat completions: asking again changes nothing
	CodeRateLimited = "model_rate_limited" // 429
	CodeUnavailable = "model_unavailable"  // no connection, or 5xx but 504
	CodeTimeout     = "model_timeout"      // it said nothing for Options.Silence, 408 or 504
	CodeTruncated   = "model_truncated"    // what came of the answer is not all of it, or cannot be read
)

// failure is why there is no whole answer: a code, a sentence for those who follow the
// thread, and what the log is told. None holds the key.
type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Detail  string `json:"detail"`
}

// errSilent ends a request to an endpoint that says nothing.
var errSilent = errors.New("the endpoint is silent")

// listen gives a request a context that ends when nothing was heard for too long.
func listen(ctx context.Context, silence time.Duration) (listening context.Context, heard, stop func()) {
	listening, cancel := context.WithCancelCause(ctx)
	if silence < 0 {
		return listening, func() {}, func() { cancel(nil) }
	}
	timer := time.AfterFunc(silence, func() { cancel(errSilent) })
	return listening, func() { timer.Reset(silence) }, func() {
		timer.Stop()
		cancel(nil)
	}
}

func malformed(detail string) *failure {
	return &failure{Code: CodeTruncated, Message: "The model's endpoint sent what is no answer. Send your message again; if that goes on, whoever runs this server should see its log.", Detail: detail}
}

// unclear is a failure to understand which tools are called. To carry out a call that the
// model may not have made is worse.
func unclear(why error) *failure {
	return &failure{
		Code:    CodeTruncated,
		Message: "It cannot be told which tools the model has called, so none of its calls was carried out. Send your message again; if that goes on, whoever runs this server should see its log.",
		Detail:  why.Error(),
	}
}

// notAStream says what a good answer's headers already tell.
func notAStream(r *http.Response) *failure {
	if r.StatusCode >= 300 {
		return &failure{Code: CodeRefused, Message: "The model's endpoint has moved. Whoever runs this server must set its new address.", Detail: "redirected by " + strconv.Itoa(r.StatusCode) + ", which is not followed"}
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind == "text/html" || kind == "application/json" {
		return &failure{
			Code:    CodeRefused,
			Message: "What answers at the model's address is no endpoint of chat completions that streams. Whoever runs this server must check the address, which mostly ends in /v1.",
			Detail:  "the answer is " + kind,
		}
	}
	return nil
}

// failureOf words an error of a request, or of the stream that it began.
func (a *Agent) failureOf(err error, answered bool) *failure {
	var refused *chat.Error
	var told *chat.StreamError
	var syntax *json.SyntaxError
	var unreached *url.Error
	switch {
	case errors.As(err, &refused):
		return a.refusal(refused)
	case errors.Is(err, errSilent):
		return &failure{
			Code:    CodeTimeout,
			Message: fmt.Sprintf("The model's endpoint has said nothing for %s. Send your message again.", a.options.Silence),
			Detail:  err.Error(),
		}
	case errors.As(err, &told):
		return &failure{Code: CodeTruncated, Message: "The model's endpoint broke its answer off: " + a.quote(messageIn(told.Data)), Detail: a.scrub(told.Error())}
	case errors.Is(err, chat.ErrTooLong):
		return &failure{Code: CodeTruncated, Message: "The model's answer is too long. Ask for less at once.", Detail: err.Error()}
	case errors.As(err, &syntax), answered && errors.As(err, new(*json.UnmarshalTypeError)):
		return malformed(a.scrub(err.Error()))
	case errors.As(err, &unreached) || !answered:
		return &failure{
			Code:    CodeUnavailable,
			Message: "The model's endpoint cannot be reached. Send your message again in a while; whoever runs this server can see why in its log.",
			Detail:  a.scrub(err.Error()),
		}
	}
	return &failure{Code: CodeTruncated, Message: "The model's answer broke off. Send your message again.", Detail: a.scrub(err.Error())}
}

// refusal words a status.
func (a *Agent) refusal(e *chat.Error) *failure {
	f := &failure{Code: CodeRefused, Detail: fmt.Sprintf("%d %s: %s (type %s, code %s)", e.StatusCode, http.StatusText(e.StatusCode), a.cut(e.Message, 512), a.cut(e.Type, 64), a.cut(e.Code, 64))}
	switch {
	case e.Code == "context_length_exceeded" || e.StatusCode == http.StatusRequestEntityTooLarge:
		f.Message = "The conversation is too long for " + a.options.Model + ". Begin a new one."
	case e.Code == "insufficient_quota" || e.StatusCode == http.StatusPaymentRequired:
		f.Message = "The model's endpoint wants to be paid: the quota of this server's key is used up. Whoever runs it must raise it."
	case e.StatusCode == http.StatusUnauthorized || e.StatusCode == http.StatusForbidden:
		f.Message = fmt.Sprintf("The model's endpoint does not take this server's key (%d). Whoever runs it must set another.", e.StatusCode)
	case e.StatusCode == http.StatusNotFound:
		f.Message = "The model's endpoint has no " + a.options.Model + ", or chat completions are elsewhere (404). Whoever runs this server must check the model's name and address."
	case e.StatusCode == http.StatusTooManyRequests:
		f.Code = CodeRateLimited
		f.Message = "The model's endpoint has too much to do (429). Send your message again" + after(e.Header) + "."
	case e.StatusCode == http.StatusRequestTimeout || e.StatusCode >= 500:
		f.Code = CodeUnavailable
		if e.StatusCode == http.StatusRequestTimeout || e.StatusCode == http.StatusGatewayTimeout {
			f.Code = CodeTimeout
		}
		f.Message = fmt.Sprintf("The model's endpoint fails (%d). Send your message again%s.", e.StatusCode, after(e.Header))
	default:
		f.Message = fmt.Sprintf("The model's endpoint refuses the request (%d): %s", e.StatusCode, a.quote(e.Message))
	}
	return f
}

// after says when an endpoint wants to be asked again.
func after(h http.Header) string {
	told := h.Get("Retry-After")
	seconds, err := strconv.ParseFloat(told, 64)
	if at, bad := http.ParseTime(told); err != nil && bad == nil {
		seconds, err = time.Until(at).Seconds(), nil
	}
	if err != nil || !(seconds > 0) || seconds > 1e7 {
		return " in a while"
	}
	return " in " + (time.Duration(seconds+0.999) * time.Second).String()
}

// messageIn is the message of an error in a stream.
func messageIn(data []byte) string {
	var told struct {
		Error json.RawMessage `json:"error"`
	}
	var object struct {
		Message string `json:"message"`
	}
	var text string
	if json.Unmarshal(data, &told) != nil || json.Unmarshal(told.Error, &object) != nil && json.Unmarshal(told.Error, &text) != nil {
		return ""
	}
	return object.Message + text
}

// quote is what an endpoint said, as far as it is shown.
func (a *Agent) quote(said string) string {
	if said == "" {
		return "it does not say why"
	}
	return a.cut(said, 300)
}

// cut is the beginning of what an endpoint said, without the key, and without what a
// terminal would obey.
func (a *Agent) cut(said string, most int) string {
	said = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, a.scrub(said)) // as a whole: half a key is no key that would be found
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + "…"
	}
	return said
}

// scrub takes the key out.
func (a *Agent) scrub(text string) string {
	if a.options.Key == "" {
		return text
	}
	return strings.ReplaceAll(text, a.options.Key, "…")
}

// redactedURL is an address without a password.
func redactedURL(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "…"
	}
	u.RawQuery, u.Fragment = "", ""
	return u.Redacted()
}
