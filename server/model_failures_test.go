package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/llm"
)

// What a model does in place of answering is told by its own code.
func TestModelFailuresAreTold(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	agents, names := map[string]adapter.Agent{}, []string{}
	for code, answer := range map[string]http.HandlerFunc{
		llm.CodeRefused:     status(http.StatusUnauthorized),
		llm.CodeRateLimited: status(http.StatusTooManyRequests),
		llm.CodeUnavailable: status(http.StatusBadGateway),
		llm.CodeTimeout: func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that it is given up
			<-r.Context().Done()
		},
		llm.CodeTruncated: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"half"}}]}`+"\n\n")
		},
	} {
		far := httptest.NewServer(answer)
		t.Cleanup(far.Close)
		transport := &http.Transport{}
		t.Cleanup(transport.CloseIdleConnections)
		options := llm.Options{URL: far.URL + "/v1", Model: "m", Retries: -1, Client: &http.Client{Transport: transport}}
		if code == llm.CodeTimeout {
			options.Silence = 50 * time.Millisecond
		}
		agent, err := llm.New(options)
		if err != nil {
			t.Fatal(err)
		}
		agents[code] = agent
		names = append(names, code)
	}
	agents[""] = agents[names[0]]
	r := newRunner(t, embedded(t), &runner.Options{Agents: agents})
	ts := newTestServer(t, running(r), &Options{Agents: names})
	for _, code := range names {
		c := ts.connect("/agui/"+code+"/ws", nil)
		c.expect("ws.hello")
		tb := newTab(c)
		tb.send(saysOn(code, "run-"+code, "hi"))
		wantCode(t, tb.until(), code)
	}
}
