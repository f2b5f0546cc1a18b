package server

import (
	"io"
	"net/http"
	"strings"
	"testing"

	agui "github.com/aguiws/aguiws/client"

	"github.com/aguiws/aguiws/server/internal/ws"
)

// Each route is the same with a slash behind it: it is answered there, and not sent
// elsewhere.
func TestRoutesWithASlash(t *testing.T) {
	ts, _ := endToEnd(t)
	ts.http.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	for _, path := range []string{"/agui/", "/copilotkit/agent/default/run/"} {
		_, last := ts.ask(http.MethodPost, path, strings.Replace(says("r"+path, "/say hello"), `"m-`, `"`+path, 1)).opened().rest()
		if kindOf(last) != "RUN_FINISHED" {
			t.Errorf("%s: %v", path, last)
		}
	}
	if types, _ := ts.ask(http.MethodGet, "/agui/threads/t/events/", "").opened().rest(); len(types) == 0 {
		t.Error("the thread is restated as nothing")
	}
	if types, _ := ts.ask(http.MethodPost, "/copilotkit/agent/default/connect/", opening).opened().rest(); len(types) == 0 {
		t.Error("the page is told nothing")
	}
	for _, path := range []string{"/agui/capabilities/", "/copilotkit/info/"} {
		if status, _, body := ts.get(path, nil, ""); status != http.StatusOK || len(body) == 0 {
			t.Errorf("%s: %d %v", path, status, body)
		}
	}
	if status := ts.ask(http.MethodPost, "/copilotkit/agent/default/stop/t/", "").resp.StatusCode; status != http.StatusOK {
		t.Errorf("stop: %d", status)
	}
	ts.connect("/agui/ws/", &agui.DialOptions{Subprotocols: []string{ws.Subprotocol}}).expect("ws.hello")

	// What is reserved stays so, and methods and other names are judged as without.
	for at, want := range map[string]int{
		"GET /agui/":                         http.StatusMethodNotAllowed,
		"POST /agui/nobody/":                 http.StatusNotFound,
		"POST /agui/ws/":                     http.StatusBadRequest, // no upgrade
		"POST /agui/threads/":                http.StatusNotFound,
		"GET /agui/threads/":                 http.StatusMethodNotAllowed,
		"POST /agui/capabilities/":           http.StatusMethodNotAllowed,
		"GET /copilotkit/":                   http.StatusMethodNotAllowed,
		"POST /copilotkit/agent/nobody/run/": http.StatusNotFound,
	} {
		method, path, _ := strings.Cut(at, " ")
		got, bare := ts.ask(method, path, opening).resp.StatusCode, ts.ask(method, strings.TrimSuffix(path, "/"), opening).resp.StatusCode
		if got != want || got != bare {
			t.Errorf("%s: %d, without the slash %d", at, got, bare)
		}
	}
	// They count as one.
	said, err := io.ReadAll(ts.ask(http.MethodGet, "/metrics", "").resp.Body)
	if err != nil || !strings.Contains(string(said), `"POST /agui"`) && !strings.Contains(string(said), `"/agui"`) || strings.Contains(string(said), "{$}") {
		t.Errorf("the metrics say %s, %v", said, err)
	}
}
