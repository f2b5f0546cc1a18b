package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
)

// stops stops runs of thread t by their label.
func (ts *testServer) stops(run string, want bool, header ...string) {
	ts.t.Helper()
	s := ts.ask(http.MethodPost, "/agui/threads/t/runs/"+run+"/stop", "", header...)
	var got map[string]any
	if err := json.NewDecoder(s.resp.Body).Decode(&got); err != nil || s.resp.StatusCode != http.StatusOK || len(got) != 1 || got["stopped"] != want {
		ts.t.Errorf("got %s %v %v, want %v", s.resp.Status, got, err, want)
	}
}

func TestStop(t *testing.T) {
	ts, _ := endToEnd(t)
	s := ts.asks(says("r/1", long))
	ts.stops("r%2F1", true)
	if end := s.until("RUN_ERROR"); end["code"] != "cancelled" {
		t.Errorf("got %v", end)
	}
	ts.stops("r%2F1", false)
	ts.stops("nobody", false)
	wantSuccess(t, newTab(ts.dial()).ask("r2", "/say hello"))
	ts.post(says("r3", "/confirm sure?")).until("RUN_FINISHED")
	ts.stops("r3", true)
	ts.stops("r3", false)
}

// Whoever waits for a run that is stopped in the queue is paid.
func TestStopPays(t *testing.T) {
	b := newQueueing()
	ts := newTestServer(t, b, nil)
	s := ts.post(input("t", "r"))
	ts.awaitSender()
	ts.stops("r", true)
	s.wants(runStarted("t", "r"), runFinished("t", "r"))
	s.ends()
}

func TestStopRefusals(t *testing.T) {
	b := newFake()
	b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
		return admission.Cancelled{}, errors.New("no answer")
	}
	ts := newTestServer(t, b, &Options{Origins: []string{"https://app.example"},
		Auth: byToken{"good": {User: "u"}, "reader": {User: "r", Scopes: []string{identity.ScopeRead}}, "runner": {User: "w", Scopes: []string{identity.ScopeRun}}}})
	at := func(path, token string, header ...string) *sseStream {
		return ts.ask(http.MethodPost, "/agui/threads/"+path+"/stop", "", append([]string{"Authorization", "Bearer " + token}, header...)...)
	}
	at("t/runs/r", "reader").refusedWith(403, "code", "forbidden")
	at("t/runs/"+strings.Repeat("x", 1025), "good").refusedWith(400, "code", "invalid_input")
	at(strings.Repeat("x", 1025)+"/runs/r", "good").refusedWith(400, "code", "invalid_input")
	at("t/runs/r", "bad").refusedWith(401, "code", "unauthenticated")
	at("t/runs/r", "good", "Origin", "https://evil.example").refusedWith(403, "code", "origin_not_allowed")
	s := at("t/runs/r", "good", "Origin", "https://app.example")
	s.refusedWith(503, "code", "store_unavailable")
	if s.resp.Header.Get("Retry-After") == "" || s.resp.Header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Errorf("got %v", s.resp.Header)
	}
	b.set(func() {
		b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
			return admission.Cancelled{Stopped: true}, nil
		}
	})
	ts.stops("r", true, "Authorization", "Bearer runner")
	get := ts.ask(http.MethodGet, "/agui/threads/t/runs/r/stop", "", "Authorization", "Bearer good")
	if get.resp.StatusCode != http.StatusMethodNotAllowed || get.resp.Header.Get("Allow") != "POST, OPTIONS" {
		t.Errorf("GET: %s, Allow %q", get.resp.Status, get.resp.Header.Get("Allow"))
	}
}
