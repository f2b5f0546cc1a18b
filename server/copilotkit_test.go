package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

// copilot sends an input as CopilotKit does.
func (ts *testServer) copilotkit(action, body string, header ...string) *sseStream {
	ts.t.Helper()
	return ts.ask(http.MethodPost, "/copilotkit/agent/default/"+action, body, header...)
}

// opening is the input of a page that opens thread t.
const opening = `{"threadId":"t","runId":"minted-by-the-page","messages":[],"tools":[],"context":[],"state":{},"forwardedProps":{}}`

func TestCopilotInfo(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Agents: []string{"other"}})
	var info map[string]any
	if err := json.NewDecoder(ts.ask(http.MethodGet, "/copilotkit/info", "").resp.Body).Decode(&info); err != nil {
		t.Fatal(err)
	}
	agents, _ := info["agents"].(map[string]any)
	for _, name := range []string{"default", "other"} {
		agent, _ := agents[name].(map[string]any)
		if agent["name"] != name || agent["capabilities"].(map[string]any)["transport"].(map[string]any)["resumable"] != true {
			t.Errorf("%s is %v", name, agent)
		}
	}
	endpoints, _ := info["threadEndpoints"].(map[string]any)
	for _, name := range []string{"list", "inspect", "mutations", "realtimeMetadata"} {
		if endpoints[name] != false {
			t.Errorf("threadEndpoints.%s is %v", name, endpoints[name])
		}
	}
	if info["mode"] != "sse" || info["suggestions"] != true || info["telemetryDisabled"] != true || info["version"] == "" {
		t.Errorf("got %v", info)
	}
	// Whoever claims a licence, even none, gets a banner.
	for _, name := range []string{"licenseStatus", "runtimeEntitlements", "intelligence"} {
		if _, there := info[name]; there {
			t.Errorf("%s is claimed", name)
		}
	}
}

// A page that opens a thread is told what is, and the stream ends when the
// thread is at rest.
func TestCopilotConnect(t *testing.T) {
	ts, _ := endToEnd(t)
	if s := ts.copilotkit("connect", opening).opened(); true {
		s.ends() // an unused thread: 200 and nothing
	}
	interrupted := func(last map[string]any) []any {
		outcome, _ := last["outcome"].(map[string]any)
		open, _ := outcome["interrupts"].([]any)
		return open
	}
	prelude := []string{"RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "RUN_FINISHED"}

	_, last := ts.copilotkit("run", says("r1", `/tool mail {"to":"ann"}`)).opened().rest()
	asked := interrupted(last)
	types, last := ts.copilotkit("connect", opening).opened().rest()
	if !slices.Equal(types, slices.Insert(slices.Clone(prelude), 3, "CUSTOM")) || len(asked) != 1 || len(interrupted(last)) != 1 {
		t.Fatalf("connected to %v %v", types, last)
	}
	id := asked[0].(map[string]any)["id"].(string)
	call := asked[0].(map[string]any)["toolCallId"].(string)

	// The answer comes under the page's own runId, with an echo of itself as the
	// result of the call.
	answer := fmt.Sprintf(`{"threadId":"t","runId":"minted-by-the-page","tools":[],"context":[],"state":{},"forwardedProps":{},"messages":[{"id":"m-r1","role":"user","content":"/tool mail"},{"id":"echo","role":"tool","toolCallId":%q,"content":"{\"approved\":true}"}],"resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true}}]}`, call, id)
	types, last = ts.copilotkit("run", answer).opened().rest()
	result, snapshot := slices.Index(types, "TOOL_CALL_RESULT"), slices.Index(types, "MESSAGES_SNAPSHOT")
	if types[0] != "RUN_STARTED" || result < 0 || snapshot < result || kindOf(last) != "RUN_FINISHED" || last["runId"] != "minted-by-the-page" {
		t.Errorf("the answer gets %v %v", types, last)
	}
	types, last = ts.copilotkit("connect", opening).opened().rest()
	if !slices.Equal(types, prelude) || interrupted(last) != nil {
		t.Errorf("connected to %v %v", types, last)
	}
}

// What failed or was cancelled before the page came is not shown as an error
// at every reload.
func TestCopilotConnectAfterFailure(t *testing.T) {
	ts, _ := endToEnd(t)
	if _, last := ts.copilotkit("run", says("r1", "/fail on purpose")).opened().rest(); last["code"] != "agent_error" {
		t.Errorf("ended with %v", last)
	}
	end := func(in string) map[string]any {
		t.Helper()
		_, last := ts.copilotkit("connect", in).opened().rest()
		return last
	}
	if last := end(opening); kindOf(last) != "RUN_FINISHED" || last["outcome"] != nil || last["runId"] != "r1" || last["threadId"] != "t" {
		t.Errorf("ended with %v", last)
	}
	runs := ts.copilotkit("run", says("r2", "/slow 10000 10")).opened()
	runs.expect("RUN_STARTED")
	runs.expect("TEXT_MESSAGE_START")
	ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t", "")
	if _, last := runs.rest(); kindOf(last) != "RUN_ERROR" || last["code"] != "cancelled" {
		t.Errorf("ended with %v", last)
	}
	if last := end(opening); kindOf(last) != "RUN_FINISHED" || last["outcome"] != nil {
		t.Errorf("ended with %v", last)
	}
}

// A page that comes in mid-run sees the rest of it, and the end.
func TestCopilotConnectMidRun(t *testing.T) {
	ts, _ := endToEnd(t)
	runs := ts.copilotkit("run", says("r1", "/slow 10000 10")).opened()
	runs.expect("RUN_STARTED")
	runs.expect("TEXT_MESSAGE_START")
	runs.expect("TEXT_MESSAGE_CONTENT")
	comes := ts.copilotkit("connect", opening).opened()
	for _, kind := range []string{"RUN_STARTED", "STATE_SNAPSHOT", "MESSAGES_SNAPSHOT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT"} {
		comes.expect(kind)
	}
	ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t", `{"runId":"r1"}`)
	for _, s := range []*sseStream{runs, comes} {
		if _, last := s.rest(); last["code"] != "cancelled" {
			t.Errorf("ended with %v", last)
		}
	}
}

func TestCopilotConnectLost(t *testing.T) {
	b := newFake()
	b.attached = func(a *follow.Attached) { a.ActiveLabel = "r" }
	b.log(localThread, runStarted("t", "r"))
	ts := newTestServer(t, b, nil)
	s := ts.copilotkit("connect", opening).opened()
	s.expect("RUN_STARTED")
	s.expect("MESSAGES_SNAPSHOT")
	b.change(localThread, func(th *fakeThread) { th.epoch = "e2" })
	s.fails("store_unavailable")
	b.set(func() { b.failing = errors.New("no answer") })
	ts.copilotkit("connect", opening).refusedWith(503, "error", "store_unavailable")
	ts.idle(b)
}

func TestCopilotStop(t *testing.T) {
	for name, c := range map[string]struct {
		body    string
		status  int
		error   string
		labels  string // stopped, in order
		stopped bool
	}{
		"no body":       {"", 200, "", "q2 q1 a", true},
		"empty object":  {"{}", 200, "", "q2 q1 a", true},
		"spaces":        {"  ", 200, "", "q2 q1 a", true},
		"one run":       {`{"runId":"a"}`, 200, "", "a", true},
		"unknown run":   {`{"runId":"x"}`, 200, "", "x", false},
		"other key":     {`{"foo":1}`, 400, "Invalid stop request", "", false},
		"two keys":      {`{"runId":"a","foo":1}`, 400, "Invalid stop request", "", false},
		"no object":     {`[]`, 400, "Invalid stop request", "", false},
		"empty runId":   {`{"runId":""}`, 400, "Invalid runId", "", false},
		"runId is null": {`{"runId":null}`, 400, "Invalid runId", "", false},
		"long runId":    {`{"runId":"` + strings.Repeat("x", 2000) + `"}`, 400, "Invalid runId", "", false},
		"too long":      {`{"runId":"` + strings.Repeat("x", 20_000) + `"}`, 413, "body_too_large", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			running := []string{"a", "q1", "q2"}
			b.attached = func(a *follow.Attached) {
				for i, label := range running {
					if i == 0 {
						a.ActiveLabel = label
					} else {
						a.Queued = append(a.Queued, follow.QueuedInput{Label: label})
					}
				}
			}
			var stopped []string
			b.cancel = func(key store.ThreadKey, label string) (admission.Cancelled, error) {
				if key != localThread {
					t.Errorf("of %v", key)
				}
				b.mu.Lock()
				defer b.mu.Unlock()
				stopped = append(stopped, label)
				at := slices.Index(running, label)
				if at >= 0 {
					running = slices.Delete(running, at, at+1)
				}
				return admission.Cancelled{Stopped: at >= 0}, nil
			}
			ts := newTestServer(t, b, nil)
			s := ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t", c.body)
			if c.error != "" {
				s.refusedWith(c.status, "error", c.error)
				return
			}
			var m map[string]any
			if err := json.NewDecoder(s.resp.Body).Decode(&m); err != nil {
				t.Fatal(err)
			}
			interrupt, _ := m["interrupt"].(map[string]any)
			if s.resp.StatusCode != c.status || m["stopped"] != c.stopped || (interrupt["code"] == "STOPPED") != c.stopped || (m["message"] == nil) != c.stopped {
				t.Errorf("got %s %v", s.resp.Status, m)
			}
			if got := strings.Join(stopped, " "); got != c.labels {
				t.Errorf("stopped %s, want %s", got, c.labels)
			}
		})
	}
	b := newFake()
	b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
		return admission.Cancelled{}, errors.New("no answer")
	}
	ts := newTestServer(t, b, nil)
	ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t", `{"runId":"a"}`).refusedWith(500, "error", "Failed to stop agent")
	ts.ask(http.MethodPost, "/copilotkit/agent/nobody/stop/t", "").refusedWith(404, "error", "Agent not found")

	// A thread that does not come to rest was not stopped.
	b.set(func() {
		b.attached = func(a *follow.Attached) { a.ActiveLabel = "another" }
		b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
			return admission.Cancelled{Stopped: true}, nil
		}
	})
	ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t", "").refusedWith(409, "error", "Failed to stop agent")
}

// Names come encoded or not, and every refusal says error and message.
func TestCopilotRefusals(t *testing.T) {
	auth := byToken{"good": {User: "u"}, "reader": {User: "r", Scopes: []string{identity.ScopeRead}}, "runner": {User: "w", Scopes: []string{identity.ScopeRun}}}
	for name, c := range map[string]struct {
		path, body string
		header     []string
		status     int
		error      string
	}{
		"encoded":        {path: "/copilotkit/agent/a%2Fb%20c/connect", status: 200},
		"not encoded":    {path: "/copilotkit/agent/a/b%20c/connect", status: 200},
		"named default":  {path: "/copilotkit/agent/default/connect", status: 200},
		"unknown agent":  {path: "/copilotkit/agent/nobody/connect", status: 404, error: "Agent not found"},
		"no such action": {path: "/copilotkit/agent/default/dance", status: 404, error: "Not found"},
		"no such path":   {path: "/copilotkit/threads", status: 404, error: "Not found"},
		"not JSON":       {body: "x", status: 400, error: "Invalid request body"},
		"not an input":   {body: `{"threadId":"t"}`, status: 400, error: "Invalid request body"},
		"not typed":      {header: []string{"Content-Type", "text/plain"}, status: 415, error: "unsupported_media_type"},
		"nobody":         {header: []string{"Authorization", ""}, status: 403, error: "origin_required"},
		"bad credential": {header: []string{"Authorization", "Bearer bad"}, status: 401, error: "unauthenticated"},
		"may not follow": {header: []string{"Authorization", "Bearer runner"}, status: 403, error: "forbidden"},
		"may not stop":   {path: "/copilotkit/agent/default/stop/t", header: []string{"Authorization", "Bearer reader"}, body: "{}", status: 403, error: "forbidden"},
		"long thread":    {path: "/copilotkit/agent/default/stop/" + strings.Repeat("x", 1025), body: "{}", status: 400, error: "invalid_input"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			ts := newTestServer(t, b, &Options{Auth: auth, Agents: []string{"a/b c"}})
			path, body := c.path, c.body
			if path == "" {
				path = "/copilotkit/agent/default/connect"
			}
			if body == "" {
				body = opening
			}
			s := ts.ask(http.MethodPost, path, body, append([]string{"Authorization", "Bearer good"}, c.header...)...)
			if c.error == "" {
				s.opened().ends()
			} else {
				s.refusedWith(c.status, "error", c.error)
				if (c.status == 401) != (s.resp.Header.Get("WWW-Authenticate") != "") {
					t.Errorf("WWW-Authenticate is %q", s.resp.Header.Get("WWW-Authenticate"))
				}
			}
			ts.idle(b)
		})
	}
	ts := newTestServer(t, newFake(), nil)
	for path, allow := range map[string]string{"/copilotkit/info": "GET, OPTIONS", "/copilotkit/agent/default/run": "POST, OPTIONS", "/copilotkit": "POST, OPTIONS"} {
		s := ts.ask(http.MethodPut, path, "")
		if s.resp.StatusCode != 405 || s.resp.Header.Get("Allow") != allow {
			t.Errorf("%s: %s %q", path, s.resp.Status, s.resp.Header.Get("Allow"))
		}
	}
	ts.ask(http.MethodGet, "/copilotkit/threads?agentId=default", "").refusedWith(404, "error", "Not found")
	ts.stop()
	ts.copilotkit("connect", opening).refusedWith(503, "error", "server_draining")
}

// The single endpoint does what the paths do.
func TestCopilotSingleEndpoint(t *testing.T) {
	ts, _ := endToEnd(t)
	call := func(envelope string) *sseStream { return ts.ask(http.MethodPost, "/copilotkit", envelope) }
	var info map[string]any
	if err := json.NewDecoder(ts.ask(http.MethodPost, "/copilotkit/", `{"method":"info"}`).resp.Body).Decode(&info); err != nil || info["agents"] == nil {
		t.Errorf("got %v %v", info, err)
	}
	enveloped := func(method, body string) string {
		return fmt.Sprintf(`{"method":%q,"params":{"agentId":"default","threadId":"t"},"body":%s}`, method, body)
	}
	if types, last := call(enveloped("agent/run", says("r1", "/say hello"))).opened().rest(); kindOf(last) != "RUN_FINISHED" || types[0] != "RUN_STARTED" {
		t.Errorf("got %v %v", types, last)
	}
	if types, _ := call(enveloped("agent/connect", opening)).opened().rest(); len(types) != 4 {
		t.Errorf("got %v", types)
	}
	if types, _ := call(enveloped("agent/suggest", opening)).opened().rest(); len(types) != 2 {
		t.Errorf("got %v", types)
	}
	for _, envelope := range []string{enveloped("agent/stop", `{"runId":"r1"}`), `{"method":"agent/stop","params":{"agentId":"default","threadId":"t"}}`} {
		var m map[string]any
		if err := json.NewDecoder(call(envelope).resp.Body).Decode(&m); err != nil || m["stopped"] != false {
			t.Errorf("got %v %v", m, err)
		}
	}
	for envelope, want := range map[string]string{
		`{"method":"transcribe"}`: "Unsupported method 'transcribe'", `{"params":{}}`: "Missing method field", `{"method":7}`: "Unsupported method ''",
		`[]`: "expected one JSON object", `{"method":"info","params":7}`: "params must be an object",
		`{"method":"agent/stop","params":{"threadId":"t","threadId":"u"}}`: "params must be an object",
		`{"method":"agent/stop","params":{"threadId":7}}`:                  "params must be an object",
	} {
		if m := call(envelope).refusedWith(400, "error", "invalid_request"); !strings.Contains(m["message"].(string), want) {
			t.Errorf("%s: %v", envelope, m)
		}
	}
	call(`{"method":"agent/run","params":{"agentId":"default"}}`).refusedWith(400, "error", "Invalid request body")
	call(`{"method":"agent/run","params":{"agentId":"nobody"},"body":{}}`).refusedWith(404, "error", "Agent not found")
	ts.ask(http.MethodPost, "/copilotkit", "x", "Content-Type", "text/plain").refusedWith(415, "error", "unsupported_media_type")
}

// A busy thread is told as an error, never as an empty stream.
func TestCopilotBusy(t *testing.T) {
	b := newFake()
	b.submit = refusedWith("thread_busy")
	newTestServer(t, b, nil).copilotkit("run", input("t", "r")).opened().fails("thread_busy")
}
