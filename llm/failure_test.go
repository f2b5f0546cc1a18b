package llm_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/llm"
	"github.com/aguiws/aguiws/protocol"
)

// status refuses a request as OpenAI does.
func status(code int, errorCode, message string, headers ...string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"t","param":null,"code":%s}}`, quoted(message), quoted(errorCode))
	}
}

func raw(contentType, body string) reply {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	}
}

// What goes wrong is told in a sentence that says what to do, without the key; what had
// come of the answer stays.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		reply            reply
		code, told, said string
	}{
		"wrong key":      {status(401, "invalid_api_key", "Incorrect API key provided: "+secret), llm.CodeRefused, "does not take this server's key (401). Whoever runs it must set another.", ""},
		"forbidden":      {status(403, "", "no "+secret), llm.CodeRefused, "does not take this server's key (403)", ""},
		"no model":       {status(404, "model_not_found", "no"), llm.CodeRefused, "has no m-1, or chat completions are elsewhere (404)", ""},
		"no quota":       {status(429, "insufficient_quota", "pay"), llm.CodeRefused, "wants to be paid", ""},
		"too many":       {status(429, "", "slow", "Retry-After", "30"), llm.CodeRateLimited, "has too much to do (429). Send your message again in 30s.", ""},
		"too many, date": {status(429, "", "slow", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), llm.CodeRateLimited, "again in a while.", ""},
		"too many, odd":  {status(429, "", "slow", "Retry-After", "NaN"), llm.CodeRateLimited, "again in a while.", ""},
		"broken":         {status(500, "", "oops"), llm.CodeUnavailable, "fails (500). Send your message again in a while.", ""},
		"overloaded":     {status(503, "", "oops", "Retry-After", "1.5"), llm.CodeUnavailable, "fails (503). Send your message again in 2s.", ""},
		"slow":           {status(504, "", "late"), llm.CodeTimeout, "fails (504)", ""},
		"too slow":       {status(408, "", "late"), llm.CodeTimeout, "fails (408)", ""},
		"gateway's page": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "<h1>no</h1>", http.StatusBadGateway) }, llm.CodeUnavailable, "fails (502)", ""},
		"bad request":    {status(400, "", "m-1 does not support tools. "+secret), llm.CodeRefused, "refuses the request (400): m-1 does not support tools. …", ""},
		"long refusal":   {status(400, "", strings.Repeat("é", 1000)), llm.CodeRefused, "refuses the request (400): é", ""},
		"too long":       {status(400, "context_length_exceeded", "x"), llm.CodeRefused, "The conversation is too long for m-1. Begin a new one.", ""},
		"redirected": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, llm.CodeRefused, "has moved", ""},
		"a web page": {raw("text/html; charset=utf-8", "<html>"), llm.CodeRefused, "is no endpoint of chat completions", ""},
		"no stream":  {raw("application/json", `{"choices":[]}`), llm.CodeRefused, "is no endpoint of chat completions", ""},
		"broken off": {func(w http.ResponseWriter, _ *http.Request) { stream(w, text("Half an")) }, llm.CodeTruncated, "The model's answer broke off.", "assistant Half an"},
		"nothing":    {raw("text/event-stream", ""), llm.CodeTruncated, "The model's answer broke off.", ""},
		"no JSON":    {func(w http.ResponseWriter, _ *http.Request) { stream(w, text("Half"), "{oops") }, llm.CodeTruncated, "sent what is no answer", "assistant Half"},
		"error in stream": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, text("Half"), `{"error":{"message":"out of memory `+secret+`"}}`)
		}, llm.CodeTruncated, "broke its answer off: out of memory …", "assistant Half"},
		"dropped": {func(w http.ResponseWriter, _ *http.Request) {
			stream(w, text("Half"))
			panic(http.ErrAbortHandler)
		}, llm.CodeTruncated, "The model's answer broke off.", "assistant Half"},
		"cut":             {chunks(text("Half"), finish("length")), llm.CodeTruncated, "is cut: it has come to the most tokens", "assistant Half"},
		"cut in a call":   {chunks(toolCall(0, "a", "clock", `{"x`), finish("length")), llm.CodeTruncated, "is cut", "assistant clock{\"x\n" + `tool {"error":"the model's answer did not come to its end","executed":false}`},
		"filtered":        {chunks(finish("content_filter")), llm.CodeRefused, "content filter has ended", ""},
		"one call or two": {chunks(toolCall(0, "", "clock", ""), toolCall(0, "", "clock", ""), finish("tool_calls")), llm.CodeTruncated, "cannot be told which tools", "assistant clock{}\n" + `tool {"error":"the model's answer did not come to its end","executed":false}`},
		"endless line":    {raw("text/event-stream", "data: "+strings.Repeat("x", 2<<20)), llm.CodeTruncated, "answer is too long", ""},
		"an endless text": {chunks(text(strings.Repeat("x", 900<<10)), text(strings.Repeat("x", 900<<10)), text(strings.Repeat("x", 900<<10)), text(strings.Repeat("x", 900<<10)), text(strings.Repeat("x", 900<<10)), finish("stop")), llm.CodeTruncated, "answer is too long", "assistant xxx"},
	} {
		t.Run(name, func(t *testing.T) {
			log := new(lines)
			e := newEndpoint(t, c.reply)
			l := newLab(t, e.agent(new(kit).tools()...), func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })
			end := l.say("hi")
			told := failed(t, end)
			if code := end.(*protocol.RunError).Code; code != c.code || !strings.Contains(told, c.told) || len(told) > 500 {
				t.Errorf("told %s: %q, want %s: %q", code, told, c.code, c.told)
			}
			if got := l.transcript(); !strings.HasPrefix(got, c.said) || c.said == "" && got != "" {
				t.Errorf("said %.99q, want %q", got, c.said)
			}
			if strings.Contains(log.String()+l.raw(), secret) {
				t.Errorf("the key is in %s or in %s", log, told)
			}
			if len(e.requests()) != 1 {
				t.Errorf("%d requests", len(e.requests()))
			}
		})
	}
}

// lines is a log that may be read while it is written.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// What an endpoint says is cut where it is long, and never within the key.
func TestNothingOfTheKeyIsLeftByACut(t *testing.T) {
	for name, c := range map[string]reply{
		"message":       status(500, "", strings.Repeat("x", 505)+secret),
		"shown message": status(400, "", strings.Repeat("x", 293)+secret),
		"code":          status(500, strings.Repeat("x", 57)+secret, ""),
		"type": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, `{"error":{"message":"m","type":%s}}`, quoted(strings.Repeat("x", 57)+secret))
		},
	} {
		t.Run(name, func(t *testing.T) {
			log := new(lines)
			l := newLab(t, newEndpoint(t, c).agent(), func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })
			failed(t, l.say("hi"))
			if told := log.String() + l.raw(); strings.Contains(told, secret[:5]) || !strings.Contains(told, "xxx") {
				t.Errorf("some of the key is in %s", told)
			}
		})
	}
}

// A refusal is an answer.
func TestRefusal(t *testing.T) {
	e := newEndpoint(t, chunks(delta(`"refusal":"I will not."`), finish("stop")))
	l := newLab(t, e.agent())
	succeeded(t, l.say("hi"))
	if got := l.transcript(); got != "assistant I will not." {
		t.Errorf("said %s", got)
	}
}

// A message after a failure is answered with all that was said.
func TestGoesOnAfterFailure(t *testing.T) {
	e := newEndpoint(t, calls("clock", "{}"), status(500, "", ""), answers("Noon, as I was saying."))
	l := newLab(t, e.agent(new(kit).tools()...))
	failed(t, l.say("time?"))
	succeeded(t, l.say("well?"))
	if got, want := e.requests()[2].texts(), "system \"Be brief.\"\nuser \"time?\"\nassistant  +1\ntool \"\\\"noon\\\"\"\nuser \"well?\"\n"; got != want {
		t.Errorf("asked %s", got)
	}
}

// What found nobody, or was too much, is sent again, as often as it was said.
func TestRetries(t *testing.T) {
	soon := []string{"Retry-After-Ms", "1"}
	e := newEndpoint(t, status(503, "", "", soon...), status(429, "", "", soon...), answers("Here."))
	o := e.options()
	o.Retries = 2
	l := newLab(t, newAgent(t, o))
	succeeded(t, l.say("hi"))
	if len(e.requests()) != 3 {
		t.Errorf("%d requests", len(e.requests()))
	}
	e = newEndpoint(t, status(503, "", "", soon...), status(503, "", "", soon...))
	o = e.options()
	o.Retries = 1
	if told := failed(t, newLab(t, newAgent(t, o)).say("hi")); !strings.Contains(told, "(503)") || len(e.requests()) != 2 {
		t.Errorf("told %s after %d requests", told, len(e.requests()))
	}
}

// One that wants longer than people wait is not asked again.
func TestLongRetryAfterIsTold(t *testing.T) {
	e := newEndpoint(t, status(429, "", "", "Retry-After", "300"))
	o := e.options()
	o.Retries = 2
	if told := failed(t, newLab(t, newAgent(t, o)).say("hi")); !strings.Contains(told, "in 5m0s") || len(e.requests()) != 1 {
		t.Errorf("told %s after %d requests", told, len(e.requests()))
	}
}

func TestNobodyThere(t *testing.T) {
	e := newEndpoint(t)
	o := e.options()
	e.server.Close()
	end := newLab(t, newAgent(t, o)).say("hi")
	if told := failed(t, end); end.(*protocol.RunError).Code != llm.CodeUnavailable || !strings.Contains(told, "cannot be reached") {
		t.Errorf("told %+v", end)
	}
}

func TestOptionsAreJudged(t *testing.T) {
	bad := llm.Define(adapter.Tool[int, int]{Name: "n"})
	fit := llm.Define(adapter.Tool[nothing, int]{Name: "n", Do: func(context.Context, adapter.Invocation, nothing) (int, error) { return 0, nil }})
	odd := llm.Define(adapter.Tool[nothing, int]{Name: "no good"})
	for want, o := range map[string]llm.Options{
		"Model must name":           {},
		"expected the address":      {Model: "m", URL: "localhost:11434"},
		"neither credentials":       {Model: "m", URL: "https://ann:pw@example.com/v1"},
		"nor a query":               {Model: "m", URL: "https://example.com/v1?key=pw"},
		"must be a struct":          {Model: "m", Tools: []llm.Tool{bad}},
		"two tools have the name n": {Model: "m", Tools: []llm.Tool{fit, fit}},
		`tool "no good": a name `:   {Model: "m", Tools: []llm.Tool{odd}},
	} {
		if _, err := llm.New(o); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
