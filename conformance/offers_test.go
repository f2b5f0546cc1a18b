package conformance

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// serve answers inputs over HTTP with events, and over a socket as chants does.
func serve(t *testing.T, over string, events ...string) Target {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Upgrade") != "" {
			accept(w, r, over, chants(events...))
			return
		}
		says(events...)(w, r)
	}))
	t.Cleanup(server.Close)
	url := server.URL
	if over == Binding || over == Plain {
		url = "ws" + strings.TrimPrefix(url, "http")
	}
	return Target{URL: url, Over: over, Timeout: time.Second}
}

// A server that offers nothing fails nothing by what it does not have.
func TestOffersNothing(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, over := range []string{SSE, Plain} {
		target := serve(t, over, begun, ended)
		target.Profile = &Profile{Offers: []string{}}
		for _, r := range Run(t.Context(), target, cases, nil) {
			if r.Status == Failed {
				t.Errorf("%s over %s fails: %v", r.Case.Name, over, r.Violations)
			}
		}
	}
}

// An agent that does not say what it is told is told that once.
func TestWithoutSayTheRestIsBlocked(t *testing.T) {
	cases, err := Cases()
	if err != nil {
		t.Fatal(err)
	}
	for _, over := range []string{SSE, Plain, Binding} {
		counts := Counts{}
		for _, r := range Run(t.Context(), serve(t, over, begun, ended), cases, &Options{Parallel: 64}) {
			counts.add(r.Status)
			gives := false
			for _, need := range r.Case.Needs {
				gives = gives || strings.HasPrefix(need, "/")
			}
			switch {
			case r.Case.Shows == basic:
				if r.Status != Failed {
					t.Errorf("%s over %s: %s", r.Case.Name, over, r.Status)
				}
			case gives && (r.Status == Failed || r.Status == Passed):
				t.Errorf("%s over %s is tried: %s", r.Case.Name, over, r.Status)
			case r.Status == Blocked && r.Reason != "say: the agent failed at it in lifecycle/says":
				t.Errorf("%s over %s: %q", r.Case.Name, over, r.Reason)
			}
		}
		if counts.Blocked < 50 {
			t.Errorf("over %s: %+v", over, counts)
		}
	}
}

// A command that fails blocks what needs it and nothing else.
func TestFailedCommandBlocksItsOwn(t *testing.T) {
	cases := one(t, "A> run r1 say x\nA< RUN_STARTED\n")
	more, err := Parse("x", []byte("-- x/asks --\nrule: run-again\nlevel: OURS\nabout: x\nshows: confirm\nA> run r1 confirm x\nA< CUSTOM\n"+
		"-- x/answers --\nrule: run-again\nlevel: OURS\nabout: x\nA> run r1 confirm x\nA< RUN_STARTED\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Status{}
	for _, r := range Run(t.Context(), serve(t, SSE, begun, ended), append(cases, more...), nil) {
		got[r.Case.Name] = r.Status
	}
	if got["x/asks"] != Failed || got["x/answers"] != Blocked || got[cases[0].Name] != Passed {
		t.Error(got)
	}
}

// An answer with an id that no frame had is told as that, and at once.
func TestAnswerToNobody(t *testing.T) {
	for name, id := range map[string]string{"another": `"id":"x",`, "none": ""} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}})
				if err != nil {
					return
				}
				defer ws.CloseNow()
				_ = ws.Write(r.Context(), websocket.MessageText, []byte(`{"type":"ws.hello","binding":"agui.v1","heartbeatMs":1000,"maxFrameBytes":1000,"durable":true,"capabilities":{}}`))
				for {
					_, data, err := ws.Read(r.Context())
					if err != nil {
						return
					}
					value, _ := decode(data)
					f, _ := value.(map[string]any)
					thread, _ := f["threadId"].(string)
					run, _ := f["runId"].(string)
					frames := []string{`{"type":"ws.run",` + id + `"threadId":"T","runId":"R","disposition":"started"}`, `{"type":"ws.stream","threadId":"T","epoch":"e","seq":0}`, begun, ended}
					if f["type"] == "ws.ping" {
						frames = []string{`{"type":"ws.pong",` + id + `"positions":{"` + thread + `":2}}`}
					}
					for _, frame := range frames {
						_ = ws.Write(r.Context(), websocket.MessageText, []byte(named(frame, thread, run)))
					}
				}
			}))
			defer server.Close()
			target := Target{URL: "ws" + strings.TrimPrefix(server.URL, "http"), Over: Binding, Timeout: 10 * time.Second}
			start := time.Now()
			results := Run(t.Context(), target, one(t, "A> run r1 say x\nA< RUN_STARTED\nA< RUN_FINISHED\n"), nil)
			if results[0].Status != Failed {
				t.Fatalf("%+v", results[0])
			}
			for _, v := range results[0].Violations {
				if strings.Contains(v.Message, "did not come") {
					t.Errorf("told as missing: %s", v.Message)
				}
			}
			if v := results[0].Violations[0]; v.Rule != ruleFraming || !strings.Contains(v.Message, "ws.run") || !strings.Contains(v.Message, "id") {
				t.Errorf("%+v", v)
			}
			if waited := time.Since(start); waited >= target.Timeout {
				t.Errorf("waited for %s", waited)
			}
		})
	}
}
