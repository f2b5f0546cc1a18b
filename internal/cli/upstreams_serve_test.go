package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// The command before two upstreams, of which one is away: it is ready, says what it stands
// before, hands over what it is told to and nothing else, and shows how it goes.
func TestServesUpstreams(t *testing.T) {
	var mu sync.Mutex
	var asked []http.Header
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"identity":{"name":"Weather","description":"knows the weather"},"tools":{"supported":false}}`)
			return
		}
		var in struct{ ThreadID, RunID string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		mu.Lock()
		asked = append(asked, r.Header)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{begins, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"m","role":"assistant","delta":"sunny"}`, ends} {
			fmt.Fprintf(w, "data: %s\n\n", strings.NewReplacer("THREAD", in.ThreadID, "RUN_ID", in.RunID).Replace(event))
		}
	}))
	defer far.Close()
	const gone = "http://127.0.0.1:1" // a port that is nobody's by chance
	c := start(t, env("AGUIWS_UPSTREAMS", `[{name: weather, url: "`+far.URL+`/agui?key=k-4711", headers: {Authorization: Bearer k-4711}, pass-headers: [x-trace]}, {name: away, url: "`+gone+`"}]`),
		"--metrics-addr", "127.0.0.1:0")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	post := func(agent, thread string) string {
		t.Helper()
		r, err := http.NewRequest(http.MethodPost, "http://"+c.addr+"/agui"+agent, strings.NewReader(`{"threadId":"`+thread+`","runId":"r","messages":[{"id":"m-`+thread+`","role":"user","content":"hi"}],"tools":[],"context":[],"state":{},"forwardedProps":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Trace", "trace-1")
		r.Header.Set("X-Other", "other-1")
		r.Header.Set("Aguiws-Hops", "3")
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	for thread, agent := range map[string]string{"a": "", "b": "/weather"} {
		if got := post(agent, thread); !strings.Contains(got, `"sunny"`) || !strings.Contains(got, `"RUN_FINISHED"`) {
			t.Errorf("/agui%s answers %s", agent, got)
		}
	}
	if got := post("/away", "c"); !strings.Contains(got, `"upstream_unavailable"`) {
		t.Errorf("/agui/away answers %s", got)
	}
	mu.Lock()
	for _, h := range asked {
		if h.Get("Authorization") != "Bearer k-4711" || h.Get("X-Trace") != "trace-1" || h.Get("X-Other") != "" || h.Get("Aguiws-Hops") != "4" {
			t.Errorf("it was sent %v", h)
		}
	}
	if len(asked) != 2 {
		t.Errorf("it was asked %d times", len(asked))
	}
	mu.Unlock()

	for _, want := range []struct {
		url    string
		status int
		holds  string
	}{
		{c.addr + "/readyz", 200, ""},
		{c.addr + "/agui/script", 405, ""},
		{c.addr + "/agui/script/capabilities", 404, ""},
		{c.addr + "/agui/capabilities", 200, `"knows the weather"`},
		{c.addr + "/agui/away/capabilities", 200, `"name":"away"`},
		{c.addr + "/copilotkit/info", 200, `"description":"knows the weather"`},
		{c.addr + "/v1/upstreams", 200, `{"name":"weather","url":"` + far.URL + `/agui","inFlight":0,"waiting":0,`},
		{c.addr + "/v1/upstreams", 200, `"lastError":{"code":"upstream_unavailable"`},
		{c.aside("metrics-addr") + "/metrics", 200, `aguiws_upstream_requests_total{code="ok",upstream="weather"} 2`},
		{c.aside("metrics-addr") + "/metrics", 200, `aguiws_upstream_requests_total{code="upstream_unavailable",upstream="away"} 1`},
	} {
		status, body := get(t, client, "http://"+want.url, "")
		// An agent that is slow to say what it can do is asked again after half a minute.
		for late := time.Now().Add(2 * patience); strings.Contains(want.holds, "knows the weather") && !strings.Contains(body, want.holds) && time.Now().Before(late); {
			time.Sleep(time.Millisecond)
			status, body = get(t, client, "http://"+want.url, "")
		}
		if status != want.status || !strings.Contains(body, want.holds) {
			t.Errorf("%s: %d %s", want.url, status, body)
		}
	}
	c.end()
	if all := strings.Join(c.said, "\n"); !strings.Contains(all, "aguiws: in front of "+far.URL+"/agui: http://"+c.addr+"/agui/weather\n") {
		t.Errorf("it said %s", all)
	}
	if all := c.log.String() + strings.Join(c.said, "\n"); strings.Contains(all, "k-4711") || strings.Contains(all, "trace-1") || !strings.Contains(all, "agent=weather") {
		t.Errorf("the log tells:\n%s", all)
	}
}
