package server

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/frames"
)

// What was missed comes once, with its positions, and the stream ends when the
// thread is at rest.
func TestEventsRecovered(t *testing.T) {
	for name, c := range map[string]struct {
		query  string
		header []string
		first  int // position of the first event; 0: restated
	}{
		"after":                    {"?after=e1:2", nil, 3},
		"from the beginning":       {"?after=e1:0", nil, 1},
		"Last-Event-ID":            {"", []string{"Last-Event-ID", "e1:5"}, 6},
		"Last-Event-ID beats":      {"?after=e1:2", []string{"Last-Event-ID", "e1:5"}, 6},
		"Last-Event-ID beats none": {"?after=", []string{"Last-Event-ID", "e1:5"}, 6},
		"all of it":                {"?after=e1:8", nil, 9},
		"nothing":                  {"", nil, 0},
		"another epoch":            {"?after=e0:2", nil, 0},
		"ahead":                    {"?after=e1:9", nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			log := append([]string{runStarted("t", "r")}, append(numbered(2, 7), runFinished("t", "r"))...)
			b.log(localThread, log...)
			ts := newTestServer(t, b, nil)
			s := ts.events(c.query, c.header...)
			if recovered := s.resp.Header.Get("Aguiws-Recovered"); recovered != map[bool]string{true: "true", false: "false"}[c.first > 0] {
				t.Errorf("Aguiws-Recovered is %q", recovered)
			}
			if c.first == 0 {
				s.expect("RUN_STARTED")
				s.expect("MESSAGES_SNAPSHOT")
				if e, _ := s.next(); e.id != "e1:8" || e.data != "" {
					t.Errorf("restated, it stands at %+v", e)
				}
			}
			for i := c.first; 0 < i && i <= 8; i++ {
				if e, _ := s.next(); e.id != string(frames.AppendEventID(nil, store.Position{Epoch: "e1", Seq: int64(i)})) || e.data != log[i-1] {
					t.Errorf("number %d is %+v", i, e)
				}
			}
			s.ends()
			ts.idle(b)
		})
	}
}

// The end comes with the end of what is under way; asked to, the stream goes on.
func TestEventsRest(t *testing.T) {
	b := newFake()
	active := "r"
	b.attached = func(a *follow.Attached) { a.ActiveLabel = active }
	b.log(localThread, runStarted("t", "r"))
	ts := newTestServer(t, b, nil)
	until, follows := ts.events("?after=e1:1"), ts.events("?after=e1:1&follow=1")
	b.log(localThread, custom("1"))
	for _, s := range []*sseStream{until, follows} {
		s.wants(custom("1"))
	}
	b.set(func() { active = "" })
	b.log(localThread, runFinished("t", "r"))
	until.wants(runFinished("t", "r"))
	until.ends()
	follows.wants(runFinished("t", "r"))
	b.log(localThread, runStarted("t", "r2"), runFinished("t", "r2"))
	follows.wants(runStarted("t", "r2"), runFinished("t", "r2"))
	follows.cancel()
	ts.idle(b)
}

// A thread whose queue is about to go on is not at rest; one whose queue waits
// for an answer is.
func TestEventsQueue(t *testing.T) {
	for name, interrupts := range map[string]int{"about to go on": 0, "held up": 1} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			waiting := true
			b.attached = func(a *follow.Attached) {
				if waiting {
					a.Queued = []follow.QueuedInput{{Label: "r2"}}
				}
				for range interrupts {
					a.Interrupts = append(a.Interrupts, []byte(`{"id":"i","reason":"x"}`))
				}
			}
			b.log(localThread, runStarted("t", "r"))
			ts := newTestServer(t, b, nil)
			s := ts.events("?after=e1:0")
			b.log(localThread, runFinished("t", "r"))
			s.wants(runStarted("t", "r"), runFinished("t", "r"))
			if interrupts == 0 {
				b.log(localThread, runStarted("t", "r2"), custom("1"))
				s.wants(runStarted("t", "r2"), custom("1"))
				b.set(func() { waiting = false })
				b.log(localThread, runFinished("t", "r2"))
				s.wants(runFinished("t", "r2"))
			}
			s.ends()
		})
	}
}

// A run that begins between the last event and the look whether the thread is at
// rest is told, too.
func TestEventsBetween(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r"), runFinished("t", "r"))
	ts := newTestServer(t, b, nil)
	looks := 0
	b.attached = func(a *follow.Attached) {
		if looks++; looks == 2 {
			th := b.thread(localThread)
			th.log = append(th.log, []byte(runStarted("t", "r2")), []byte(runFinished("t", "r2")))
		}
	}
	s := ts.events("?after=e1:0")
	s.wants(runStarted("t", "r"), runFinished("t", "r"), runStarted("t", "r2"), runFinished("t", "r2"))
	s.ends()
}

func TestEventsUnused(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	ts.events("").ends()
	s := ts.events("?follow=1")
	b.log(localThread, runStarted("t", "r"))
	if e, _ := s.next(); e.id != "e1:1" {
		t.Errorf("got %+v", e)
	}
}

// A stream that cannot go on in order ends, and the client that comes back with
// its last id is restated.
func TestEventsLost(t *testing.T) {
	for name, change := range map[string]func(*fakeThread){
		"epoch":   func(th *fakeThread) { th.epoch = "e2" },
		"trimmed": func(th *fakeThread) { th.base, th.log = 5, nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.log(localThread, runStarted("t", "r"))
			ts := newTestServer(t, b, nil)
			s := ts.events("?after=e1:0&follow=1")
			s.wants(runStarted("t", "r"))
			b.change(localThread, change)
			s.ends()
			again := ts.events("", "Last-Event-ID", "e1:1")
			if got := again.resp.Header.Get("Aguiws-Recovered"); got != "false" {
				t.Errorf("Aguiws-Recovered is %q", got)
			}
			again.expect("RUN_STARTED")
		})
	}
}

func TestEventsRefusals(t *testing.T) {
	auth := byToken{"good": {User: "u"}, "runner": {User: "r", Scopes: []string{identity.ScopeRun}}}
	for name, c := range map[string]struct {
		path   string
		header []string
		status int
		code   string
	}{
		"bad after":           {path: "/agui/threads/t/events?after=nonsense", status: 400, code: "invalid_input"},
		"bad Last-Event-ID":   {header: []string{"Last-Event-ID", "7"}, status: 400, code: "invalid_input"},
		"bad follow":          {path: "/agui/threads/t/events?follow=yes", status: 400, code: "invalid_input"},
		"no window":           {path: "/agui/threads/t/events?window=0", status: 400, code: "invalid_input"},
		"large window":        {path: "/agui/threads/t/events?window=1001", status: 400, code: "invalid_input"},
		"window of names":     {path: "/agui/threads/t/events?window=all", status: 400, code: "invalid_input"},
		"long name":           {path: "/agui/threads/" + strings.Repeat("x", 1025) + "/events", status: 400, code: "invalid_input"},
		"may not follow":      {header: []string{"Authorization", "Bearer runner"}, status: 403, code: "forbidden"},
		"no credential":       {header: []string{"Authorization", ""}, status: 401, code: "unauthenticated"},
		"foreign page":        {header: []string{"Origin", "https://evil.example"}, status: 403, code: "origin_not_allowed"},
		"the store is silent": {status: 503, code: "store_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.failing = errors.New("no answer")
			ts := newTestServer(t, b, &Options{Auth: auth})
			path := c.path
			if path == "" {
				path = "/agui/threads/t/events"
			}
			s := ts.ask(http.MethodGet, path, "", append([]string{"Authorization", "Bearer good"}, c.header...)...)
			s.refusedWith(c.status, "code", c.code)
			ts.idle(b)
		})
	}
	ts := newTestServer(t, newFake(), nil)
	if s := ts.ask(http.MethodHead, "/agui/threads/t/events?follow=1", ""); s.resp.StatusCode != 200 {
		t.Errorf("HEAD: %s", s.resp.Status)
	}
	if s := ts.ask(http.MethodPost, "/agui/threads/t/events", ""); s.resp.StatusCode != 405 || s.resp.Header.Get("Allow") != "GET, OPTIONS" {
		t.Errorf("POST: %s", s.resp.Status)
	}
}

// A thread's name may hold anything.
func TestEventsThreadNames(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	for escaped, name := range map[string]string{"a%2Fb": "a/b", "%2E%2E%2E": "...", "%20": " ", "a%25b": "a%b", "%C3%A9": "é"} {
		b.log(store.ThreadKey{Namespace: "local", Thread: name}, custom(name))
		s := ts.ask(http.MethodGet, "/agui/threads/"+escaped+"/events?after=e1:0", "").opened()
		s.wants(custom(name))
	}
}

func TestEventsStoreTroubleDelays(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r"))
	ts := newTestServer(t, b, nil)
	s := ts.events("?after=e1:0")
	s.wants(runStarted("t", "r"))
	b.set(func() { b.failing = errors.New("no answer") })
	b.log(localThread, runFinished("t", "r"))
	eventually(t, "it was tried", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.failures > 1
	})
	b.set(func() { b.failing = nil })
	s.wants(runFinished("t", "r"))
	s.ends()
}

// A follower whose credential ends is not told more.
func TestEventsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = time.Minute
		b, began := newFake(), time.Now()
		answer := byHand(t, b, &Options{Auth: byToken{"good": {Expires: began.Add(left)}}})
		status, body := answer(authorized(followThread, "good"))
		if took := time.Since(began); status != http.StatusOK || strings.Contains(body, "data:") || took != left {
			t.Errorf("after %v: %d %s", took, status, body)
		}
		synctest.Wait()
		if n := b.followers(); n != 0 {
			t.Errorf("%d followers are left", n)
		}
	})
}
