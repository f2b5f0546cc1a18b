package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/internal/suite"
)

// goWords is how Go speaks of itself, and packages of theirs.
var goWords = regexp.MustCompile(`\bGo |json:|struct|unmarshal|reflect|\b(float64|int64|uint|bool|RawMessage|nil)\b|0x[0-9a-f]{6}|goroutine|\.go:|\b(adapter|protocol|server|store|redisstore|controlapi|copilotkit|strictjson|identity): `)

// wholeBodies have each member that what is sent to a route may have, by method and
// path. inputTo and answerTo have those of inputs.
var wholeBodies = map[string][]string{
	"POST /v1/threads/{thread}/runs/purge":                  {`{"olderThan":"1h"}`},
	"PATCH /v1/threads/{thread}":                            {`{"title":"x"}`},
	"POST /v1/threads":                                      {`{"threadId":"x","parentThreadId":"","resourceId":"r","metadata":{"a":1}}`},
	"PATCH /v1/threads/{thread}/tree":                       {`{"version":0,"parentThreadId":"","resourceId":"r","metadata":{"a":1}}`},
	"POST /v1/threads/{thread}/input":                       {`{"text":"/say x","runId":"r","agent":"script","interrupt":true,"after":"m","before":"m","when":"step","priority":1,"dedupe":"d","availableAt":"2030-01-31T00:00:00Z"}`},
	"POST /v1/threads/{thread}/branches/{branch}/restore":   {`{"runId":"r","agent":"script"}`},
	"POST /v1/events/{token}":                               {`{"a":1}`},
	"POST /v1/threads/{thread}/interrupt":                   {`{"reason":"x"}`},
	"POST /v1/threads/{thread}/pause":                       {`{"reason":"review","text":"x","timeoutMs":1000,"onTimeout":"cancel"}`},
	"POST /v1/threads/{thread}/runs/{run}/cancel":           {`{"reason":"x"}`},
	"POST /v1/threads/{thread}/interrupts/resolve":          {`{"runId":"r","entries":[{"interruptId":"i","status":"resolved","payload":{"approved":true}}]}`},
	"PUT /v1/threads/{thread}/interrupts/{interrupt}/draft": {`{"status":"resolved","payload":{"approved":true}}`},
	"POST /v1/inbox/resolve":                                {`{"idempotencyKey":"k","items":[{"threadId":"t","namespace":"n","entries":[{"interruptId":"i","status":"resolved","payload":{"approved":true}}]}]}`},
	"POST /copilotkit/agent/{agent}/stop/{thread}":          {`{"runId":"r"}`},
	"POST /copilotkit": {`{"method":"agent/stop","params":{"agentId":"script","threadId":"t"},"body":{"runId":"r"}}`,
		`{"method":"agent/run","params":{"agentId":"script"},"body":{"threadId":"t","runId":"r","messages":[]}}`},
}

// misfits calls fn with the document in which each value in turn is of another type.
func misfits(t *testing.T, document string, fn func(string)) {
	t.Helper()
	wrong := []any{json.Number("7"), json.Number("1.5"), json.Number("1e400"), json.Number("-99999999999999999999"), "text", "", true, nil, []any{}, []any{1}, map[string]any{}, map[string]any{"x": 1}}
	if !suite.IsFull() {
		wrong = []any{json.Number("1e400"), "text", nil, []any{1}, map[string]any{"x": 1}}
	}
	var root any
	if err := json.Unmarshal([]byte(document), &root); err != nil {
		t.Fatal(err)
	}
	var walk func(v any, put func(any))
	say := func() {
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		fn(string(text))
	}
	walk = func(v any, put func(any)) {
		for _, w := range wrong {
			put(w)
			say()
		}
		put(v)
		switch v := v.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(v[name], func(w any) { v[name] = w })
			}
			v["Title"] = 1 // another case, and a stranger
			say()
			delete(v, "Title")
		case []any:
			for i := range v {
				walk(v[i], func(w any) { v[i] = w })
			}
		}
	}
	walk(root, func(v any) { root = v })
	for _, broken := range []string{`{`, `{"a":}`, `{"a":1,"a":2}`, "\xff", `{"x":"\ud800"}`, strings.Repeat(`{"a":`, 200), document + "x", document[:len(document)/2]} {
		fn(broken)
	}
}

// Whatever the members of a body or a frame are, no answer says how they are read.
func TestErrorsNameNoGo(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures, and takes seconds under the race detector")
	}
	w := newWalk(t)
	full := func(i ids) []string {
		return []string{strings.Replace(inputTo(i), `"tools":[]`, `"tools":[{"name":"n","description":"d","parameters":{"type":"object"}}],"parentRunId":"p","protocolVersion":"1.0"`, 1), answerTo(i)}
	}
	theirs := ids{thread: "t", run: "r", message: "m", interrupt: "i", dispatch: w.theirs.dispatch}
	checked := 0
	check := func(t *testing.T, what, sent, answer string) {
		checked++
		if found := goWords.FindString(answer); found != "" {
			t.Errorf("%s with %.300s is answered with %q in %.2000s", what, sent, found, answer)
		}
	}
	for _, r := range w.routes() {
		method, path, found := strings.Cut(r.pattern, " ")
		if !found || method == http.MethodGet || bodies[r.pattern] == nil || bodies[r.pattern](theirs) == "" {
			continue
		}
		documents := wholeBodies[r.pattern]
		if documents == nil {
			if bodies[r.pattern](theirs) != inputTo(theirs) && path != "/copilotkit/{agent...}" {
				t.Errorf("the members that %s may have are not known: add them to wholeBodies", r.pattern)
			}
			documents = full(theirs)
		}
		t.Run(r.pattern, func(t *testing.T) {
			for _, document := range documents {
				misfits(t, document, func(sent string) {
					at := fill(t, path, w.theirs, "script")
					_, body, _ := strings.Cut(w.request(t, method, at, annsToken, sent), "\n")
					check(t, r.pattern, sent, body)
				})
			}
		})
	}
	t.Run("frames", func(t *testing.T) {
		documents := full(theirs)
		for _, frame := range controls {
			documents = append(documents, frame(theirs))
		}
		documents = append(documents, `{"type":"ws.attach","id":"x","threadId":"t","after":{"epoch":"e","seq":1}}`)
		for _, document := range documents {
			misfits(t, document, func(sent string) {
				if !json.Valid([]byte(sent)) || sent[0] != '{' {
					return // eight of them close the socket
				}
				c := w.as(annsToken)
				defer c.ws.CloseNow()
				c.send(sent)
				c.send(`{"type":"ws.ping","id":"over"}`)
				for over := false; !over; {
					data := string(c.read())
					check(t, "a frame", sent, data)
					over = strings.Contains(data, `"id":"over"`)
				}
			})
		}
	})
	if checked < 500 {
		t.Errorf("%d answers were looked at", checked)
	}
	fmt.Fprintln(t.Output(), checked, "answers were looked at")
}
