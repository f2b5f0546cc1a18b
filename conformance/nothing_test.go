package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// worthless are servers that do nothing, or the same whatever they are asked. Each
// is tried with every case over every transport, restarts included, which do
// nothing either.
var worthless = []struct {
	name string
	// answer is what a worthless server has to say to an input over HTTP, and
	// socket over a WebSocket. Nil is a server that is not there.
	answer http.HandlerFunc
	socket func(ctx context.Context, ws *websocket.Conn, over string)
	// pass are the cases that it may pass, with the reason why that is right.
	pass map[string]string
}{
	{name: "is not there"},
	{name: "fails with 500", answer: status(http.StatusInternalServerError)},
	{name: "finds nothing", answer: status(http.StatusNotFound)},
	{name: "takes nothing", answer: status(http.StatusBadRequest)},
	{name: "says nothing", answer: says(), socket: func(ctx context.Context, ws *websocket.Conn, _ string) { _, _, _ = ws.Read(ctx) }},
	{name: "refuses all", answer: says(`{"type":"RUN_ERROR","message":"no"}`), socket: chants(`{"type":"RUN_ERROR","message":"no"}`), pass: map[string]string{}},
	{name: "fails all", answer: says(begun, `{"type":"RUN_ERROR","message":"no"}`), socket: chants(begun, `{"type":"RUN_ERROR","message":"no"}`), pass: map[string]string{}},
	{name: "does nothing, well", answer: says(begun, ended), socket: chants(begun, ended), pass: map[string]string{
		"lifecycle/boundaries":   "its runs begin and end as they should",
		"lifecycle/nothing-said": "who is told nothing may say nothing",
	}},
}

// chanted are passed by those that know the little of the binding that chants does.
var chanted = map[string]string{
	"frames/unknown-members": "they answer pings",
	"attach/unused":          "they say of every thread that it is empty, and this one is",
}

const (
	begun = `{"type":"RUN_STARTED","threadId":"T","runId":"R"}`
	ended = `{"type":"RUN_FINISHED","threadId":"T","runId":"R"}`
)

// Who does nothing passes nothing, but what is listed, and all of that.
func TestNothingIsNotEnough(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range worthless {
		for _, over := range Transports {
			t.Run(w.name+"/"+over, func(t *testing.T) {
				t.Parallel()
				target := Target{
					URL: "http://127.0.0.1:1", Over: over, Timeout: 300 * time.Millisecond, Effects: filepath.Join(t.TempDir(), "effects"),
					Restart: func(context.Context) error { return nil }, Drain: func(context.Context) error { return nil },
				}
				if w.answer != nil {
					server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
						if w.socket != nil && r.Header.Get("Upgrade") != "" {
							accept(rw, r, over, w.socket)
							return
						}
						w.answer(rw, r)
					}))
					defer server.Close()
					target.URL = server.URL
				}
				if over == Binding || over == Plain {
					target.URL = "ws" + strings.TrimPrefix(target.URL, "http")
				}
				may := maps.Clone(w.pass)
				if over == Binding && may != nil {
					maps.Copy(may, chanted)
				}
				var must []*Case
				rest := slices.DeleteFunc(slices.Clone(cases), func(c *Case) bool {
					if _, listed := may[c.Name]; listed {
						must = append(must, c)
						return true
					}
					return false
				})
				for _, r := range Run(t.Context(), target, rest, &Options{Parallel: 64}) {
					if r.Status == Passed {
						t.Errorf("%s passes", r.Case.Name)
					}
				}
				if len(must) != len(may) {
					t.Errorf("of %v there are %d", slices.Collect(maps.Keys(may)), len(must))
				}
				if len(must) == 0 {
					return
				}
				target.Timeout = patience // they wait for nothing that does not come
				for _, r := range Run(t.Context(), target, must, nil) {
					if r.Status == Failed {
						t.Errorf("%s fails, and is listed: %v", r.Case.Name, r.Violations)
					}
				}
			})
		}
	}
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		fmt.Fprint(w, `{"code":"no","message":"no"}`)
	}
}

// says answers everything with the same stream.
func says(events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var input struct{ ThreadID, RunID string }
		_ = json.NewDecoder(r.Body).Decode(&input)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range events {
			fmt.Fprintf(w, "data: %s\n\n", named(event, input.ThreadID, input.RunID))
		}
	}
}

func named(event, thread, run string) string {
	return strings.NewReplacer(`"T"`, string(encode(thread)), `"R"`, string(encode(run))).Replace(event)
}

func accept(w http.ResponseWriter, r *http.Request, over string, socket func(context.Context, *websocket.Conn, string)) {
	var protocols []string
	if over == Binding {
		protocols = []string{subprotocol}
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: protocols, InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1) // to refuse what is large is not nothing
	socket(r.Context(), ws, over)
}

// chants answers every input on a socket with the same events, and knows as much of
// the binding as that takes.
func chants(events ...string) func(context.Context, *websocket.Conn, string) {
	return func(ctx context.Context, ws *websocket.Conn, over string) {
		var mu sync.Mutex
		positions := map[string]int{}
		send := func(format string, args ...any) {
			_ = ws.Write(ctx, websocket.MessageText, fmt.Appendf(nil, format, args...))
		}
		if over == Binding {
			send(`{"type":"ws.hello","binding":"agui.v1","heartbeatMs":1000,"maxFrameBytes":1000,"durable":true,"capabilities":{}}`)
		}
		for {
			_, data, err := ws.Read(ctx)
			if err != nil {
				return
			}
			var f struct{ Type, ID, ThreadID, RunID string }
			_ = json.Unmarshal(data, &f)
			mu.Lock()
			at := positions[f.ThreadID]
			switch {
			case f.Type == "ws.ping":
				send(`{"type":"ws.pong","id":%q,"positions":%s}`, f.ID, encode(positions))
			case f.Type == "ws.attach":
				send(`{"type":"ws.attached","id":%q,"threadId":%q,"epoch":"e","seq":%d,"recovered":false,"reason":"no_position","interrupts":[],"queued":[]}`, f.ID, f.ThreadID, at)
				send(`{"type":"ws.live","threadId":%q,"seq":%d}`, f.ThreadID, at)
			case over == Binding && f.Type == "":
				send(`{"type":"ws.run","id":%q,"threadId":%q,"runId":%q,"disposition":"started"}`, f.ID, f.ThreadID, f.RunID)
				send(`{"type":"ws.stream","threadId":%q,"epoch":"e","seq":%d}`, f.ThreadID, at)
				positions[f.ThreadID] += len(events)
				fallthrough
			case over == Plain:
				for _, event := range events {
					send("%s", named(event, f.ThreadID, f.RunID))
				}
			}
			mu.Unlock()
		}
	}
}
