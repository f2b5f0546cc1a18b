package server

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/gateway"
)

// What goes wrong between this server and another is told by its own code.
func TestUpstreamFailuresAreTold(t *testing.T) {
	stream := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
	}
	const begun = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"
	const gone = "http://127.0.0.1:1" // a port that is nobody's by chance
	agents, names := map[string]adapter.Agent{}, []string{}
	for code, answer := range map[string]http.HandlerFunc{
		"upstream_unavailable": nil,
		"upstream_failed":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"upstream_refused":     http.NotFound,
		"upstream_content_type": func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<html></html>")
		},
		"upstream_truncated": func(w http.ResponseWriter, _ *http.Request) { stream(w, begun) },
		"upstream_too_large": func(w http.ResponseWriter, _ *http.Request) {
			stream(w, begun+`data: {"type":"CUSTOM","name":"x","value":"`+strings.Repeat("x", 4<<10)+"\"}\n\n")
		},
		"upstream_timeout": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the server does not see that it is given up
			<-r.Context().Done()
		},
	} {
		url, options := gone, &gateway.Options{Name: code, MaxEventBytes: 1 << 10}
		if code == "upstream_timeout" {
			options.FirstByteTimeout = 50 * time.Millisecond
		}
		if answer != nil {
			far := httptest.NewServer(answer)
			t.Cleanup(far.Close)
			url = far.URL
		}
		upstream, err := gateway.New(url, options)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = upstream.Close(context.Background()) })
		agents[code] = upstream
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

// An agent that knows nothing of the question that is cancelled ends the run so.
func TestForgottenQuestionIsTold(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), `"resume":[{`) {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"+
			`data: {"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"confirmation","message":"Go on?"}]}}`+"\n\n")
	}))
	t.Cleanup(far.Close)
	upstream, err := gateway.New(far.URL, &gateway.Options{Name: "far"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = upstream.Close(context.Background()) })
	c := node(t, embedded(t), upstream).connect("/agui/ws", nil)
	c.expect("ws.hello")
	tb := newTab(c)
	tb.send(saysOn("t", "asks", "hi"))
	open := interrupts(t, tb.until())
	tb.send(resumes("answers", cancelled(open[0])))
	wantCode(t, tb.until(), "question_forgotten")
}
