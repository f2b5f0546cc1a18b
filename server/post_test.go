package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/budget"
)

// A POST is answered by its run's events, each logged one with its position,
// and by nothing else.
func TestPostRun(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("before"))
	ts := newTestServer(t, b, nil)
	s := ts.post(input("t", "r"))
	first, _ := s.next()
	if first.id != "e1:2" || first.data != runStarted("t", "r") {
		t.Errorf("it begins with %+v", first)
	}
	b.log(localThread, append(numbered(1, 7), runFinished("t", "r"), custom("not mine"))...)
	s.wants(append(numbered(1, 7), runFinished("t", "r"))...)
	s.ends()
	if cache := s.resp.Header.Get("Cache-Control"); !strings.Contains(cache, "no-cache") {
		t.Errorf("Cache-Control is %q", cache)
	}
	ts.idle(b)

	b = newFake()
	named := newTestServer(t, b, &Options{Agents: []string{"other"}})
	agents := make(chan string, 1)
	b.submit = func(_ context.Context, in admission.Input) (admission.Admitted, error) {
		agents <- in.Agent
		return refusedWith("thread_busy")(context.Background(), in)
	}
	named.ask(http.MethodPost, "/agui/other", input("t", "r"), "Content-Type", "application/json; charset=utf-8").opened().fails("thread_busy")
	if got := <-agents; got != "other" {
		t.Errorf("asked %q", got)
	}
}

// What a thread or an identity has against an input is a stream; what cannot be
// read is not.
func TestPostRefusals(t *testing.T) {
	auth := byToken{"good": {User: "u"}, "reader": {User: "r", Scopes: []string{identity.ScopeRead}}}
	for name, c := range map[string]struct {
		path, body string
		header     []string
		status     int
		code       string
		fields     string
	}{
		"no type":         {header: []string{"Content-Type", ""}, status: 415, code: "unsupported_media_type"},
		"other type":      {header: []string{"Content-Type", "text/plain"}, status: 415, code: "unsupported_media_type"},
		"broken type":     {header: []string{"Content-Type", "application/json; ;"}, status: 415, code: "unsupported_media_type"},
		"compressed":      {header: []string{"Content-Encoding", "gzip"}, status: 415, code: "unsupported_media_type"},
		"empty":           {body: " ", status: 400, code: "invalid_input"},
		"no object":       {body: "[]", status: 400, code: "invalid_input"},
		"not JSON":        {body: `{"threadId":`, status: 400, code: "invalid_input"},
		"not UTF-8":       {body: "{\"threadId\":\"\xff\"}", status: 400, code: "invalid_input"},
		"twice":           {body: `{"threadId":"t","threadId":"u","runId":"r","messages":[]}`, status: 400, code: "invalid_input"},
		"too deep":        {body: strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200), status: 400, code: "invalid_input"},
		"wrong places":    {body: `{"threadId":7,"runId":"r","messages":[{"id":"m","role":"nobody"}]}`, status: 400, code: "invalid_input", fields: "/threadId"},
		"long name":       {body: input(strings.Repeat("x", 1025), "r"), status: 400, code: "invalid_input", fields: "/threadId"},
		"too large":       {body: input("t", strings.Repeat("x", 5000)), status: 413, code: "body_too_large"},
		"unknown agent":   {path: "/agui/nobody", status: 404, code: "unknown_agent"},
		"no credential":   {header: []string{"Authorization", ""}, status: 403, code: "origin_required"},
		"from a page":     {header: []string{"Authorization", "", "Origin", "https://app.example"}, status: 401, code: "unauthenticated"},
		"bad credential":  {header: []string{"Authorization", "Bearer bad"}, status: 401, code: "unauthenticated"},
		"foreign page":    {header: []string{"Origin", "https://evil.example"}, status: 403, code: "origin_not_allowed"},
		"may only read":   {header: []string{"Authorization", "Bearer reader"}, status: 200, code: "forbidden"},
		"the thread says": {status: 200, code: "interrupts_pending"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.submit = refusedWith("interrupts_pending")
			ts := newTestServer(t, b, &Options{Auth: auth, Origins: []string{"https://app.example"}, MaxFrameBytes: 4 << 10})
			path, body := c.path, c.body
			if path == "" {
				path = "/agui"
			}
			if body == "" {
				body = input("t", "r")
			}
			s := ts.ask(http.MethodPost, path, body, append([]string{"Authorization", "Bearer good"}, c.header...)...)
			if c.status == http.StatusOK {
				s.opened().fails(c.code)
			} else {
				m := s.refusedWith(c.status, "code", c.code)
				if fields, _ := m["fields"].([]any); c.fields != "" && (len(fields) == 0 || fields[0].(map[string]any)["pointer"] != c.fields) {
					t.Errorf("the places are %v", fields)
				}
			}
			ts.idle(b)
		})
	}
}

func TestReservedNames(t *testing.T) {
	for _, name := range []string{"ws", "capabilities", "threads", ""} {
		if _, err := newServer(newFake(), nil, &Options{Agents: []string{"fine", name}}); err == nil || !strings.Contains(err.Error(), strconv.Quote(name)) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPostOtherMethods(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete, http.MethodHead} {
		s := ts.ask(method, "/agui", "")
		if s.resp.StatusCode != http.StatusMethodNotAllowed || s.resp.Header.Get("Allow") != "POST, OPTIONS" {
			t.Errorf("%s: %s, Allow %q", method, s.resp.Status, s.resp.Header.Get("Allow"))
		}
	}
}

// A stream counts as a connection, for its user and for the process.
func TestPostLimits(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{Auth: byToken{"a": {User: "a"}, "b": {User: "b"}, "c": {User: "c"}}, Sockets: 3, SocketsPerUser: 2})
	as := func(user string) *sseStream {
		return ts.ask(http.MethodPost, "/agui", input("t", "r"), "Authorization", "Bearer "+user)
	}
	first := as("a").opened()
	ts.events("?follow=1", "Authorization", "Bearer a")
	as("a").refusedWith(429, "code", "too_many_sockets")
	ts.copilotkit("run", input("t", "r"), "Authorization", "Bearer a").refusedWith(429, "error", "too_many_sockets")
	as("b").opened()
	s := as("c")
	s.refusedWith(503, "code", "overloaded")
	if s.resp.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to come again")
	}
	first.cancel()
	eventually(t, "there is room", func() bool { return ts.openSockets() == 2 })
	as("a").opened()
}

// Inputs wait for their share of what the process may work on, and not for ever.
func TestPostOverload(t *testing.T) {
	b := newFake()
	b.submit = refusedWith("thread_busy")
	ts := newTestServer(t, b, &Options{CallTimeout: 20 * time.Millisecond})
	defer ts.fill(budget.Bodies)()
	large := fmt.Sprintf(`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":%q}]}`, strings.Repeat("x", 1<<20))
	ts.ask(http.MethodPost, "/agui", large).refusedWith(503, "code", "overloaded")
	ts.copilotkit("run", large).refusedWith(503, "error", "overloaded")
	ts.ask(http.MethodPost, "/copilotkit", `{"method":"agent/run","params":{"agentId":"default"},"body":`+large+`}`).refusedWith(503, "error", "overloaded")
	ts.post(input("t", "r")).wants(`{"type":"RUN_ERROR","message":"no","code":"thread_busy"}`) // it is small, and was judged
}

// The header is there before the store has said anything: clients look for life.
func TestPostHeaderAtOnce(t *testing.T) {
	b := newFake()
	goOn := make(chan struct{})
	b.submit = func(_ context.Context, in admission.Input) (admission.Admitted, error) {
		<-goOn
		return admission.Admitted{}, errors.New("no answer")
	}
	ts := newTestServer(t, b, nil)
	s := ts.post(input("t", "r"))
	close(goOn)
	s.fails("store_unavailable")
}

// Proxies take a silent stream for a dead one.
func TestPostKeepAlive(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{KeepAlive: 5 * time.Millisecond})
	s := ts.post(input("t", "r"))
	s.wants(runStarted("t", "r"))
	s.comment()
	s.comment()
	b.log(localThread, runFinished("t", "r"))
	s.wants(runFinished("t", "r"))
	s.ends()
}

// A client that goes away leaves no connection behind. The same input again, within
// the grace, is the run restated.
func TestPostDisconnect(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	s := ts.post(input("t", "r"))
	s.wants(runStarted("t", "r"))
	s.cancel()
	ts.idle(b)
	b.log(localThread, custom("1"))
	b.set(func() {
		b.submit = answering(repeats("r"))
		b.repeat = func(_ store.ThreadKey, _, label string) (follow.Repeated, error) {
			return follow.Repeated{Status: store.RunActive, Events: [][]byte{[]byte(runStarted("t", label))}}, nil
		}
	})
	s = ts.post(input("t", "again"))
	if e, _ := s.next(); e.id != "" || e.data != runStarted("t", "again") {
		t.Errorf("restated: %+v", e)
	}
	b.log(localThread, custom("2"), runFinished("t", "r"))
	if e, _ := s.next(); e.id != "e1:3" || e.data != custom("2") {
		t.Errorf("live: %+v", e)
	}
	s.wants(runFinished("t", "again"))
	s.ends()
}

// A run that waits for its turn ends for its client when it is cancelled there.
func TestPostQueuedCancelled(t *testing.T) {
	b := newQueueing()
	ts := newTestServer(t, b, nil)
	s := ts.post(input("t", "r"))
	ts.awaitSender()
	ts.dial().send(`{"type":"ws.cancel","threadId":"t","runId":"r"}`)
	s.wants(runStarted("t", "r"), runFinished("t", "r"))
	s.ends()
}

// Events that are lost for good in mid-run end the stream with what to do.
func TestPostRestated(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	s := ts.post(input("t", "r"))
	s.wants(runStarted("t", "r"))
	b.change(localThread, func(th *fakeThread) { th.epoch = "e2" })
	s.fails("store_unavailable")
}

func TestPostExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = time.Minute
		b, began := newFake(), time.Now()
		answer := byHand(t, b, &Options{Auth: byToken{"good": {Expires: began.Add(left)}}})
		_, body := answer(authorized(postThread, "good"))
		events := strings.Split(body, "data: ")
		if took := time.Since(began); len(events) != 3 || !strings.Contains(events[1], "RUN_STARTED") || !strings.Contains(events[2], `"code":"unauthenticated"`) || took != left {
			t.Errorf("after %v: %s", took, body)
		}
		synctest.Wait()
		if n := b.followers(); n != 0 {
			t.Errorf("%d followers are left", n)
		}
	})
}

func TestPostRevoked(t *testing.T) {
	revoked := make(chan struct{})
	b := newFake()
	ts := newTestServer(t, b, &Options{Auth: byToken{"good": {Revoked: revoked}}})
	s := ts.post(input("t", "r"), "Authorization", "Bearer good")
	s.wants(runStarted("t", "r"))
	close(revoked)
	s.fails("unauthenticated")
	ts.idle(b)
}
