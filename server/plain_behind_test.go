package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
)

// cutAfter is the history of a page whose network went away behind so much of what the
// agent said, with what its user said next.
func cutAfter(ts *testServer, text string) string {
	var said struct{ ID string }
	for _, m := range ts.restatedMessages() {
		if err := json.Unmarshal(m, &said); err != nil {
			ts.t.Fatal(err)
		}
	}
	return user("u1", "/say hello wide world") + fmt.Sprintf(`,{"id":%q,"role":"assistant","content":%q},`, said.ID, text) + user("u2", "/say next")
}

func (ts *testServer) restatedMessages() []json.RawMessage {
	ts.t.Helper()
	var messages []json.RawMessage
	s := ts.ask(http.MethodGet, "/agui/threads/t/events", "").opened()
	for e, ok := s.next(); ok; e, ok = s.next() {
		if e.data == "" {
			continue // a position
		}
		var f struct{ Messages []json.RawMessage }
		if err := json.Unmarshal([]byte(e.data), &f); err != nil {
			ts.t.Fatal(err)
		}
		if f.Messages != nil {
			messages = f.Messages
		}
	}
	return messages
}

// A page that holds half a message is brought up to date by its next run, whether that
// begins at once or waits, and nobody else hears of it.
func TestHalfAMessageIsHealed(t *testing.T) {
	for _, route := range []string{"/agui", "/copilotkit/agent/default/run"} {
		t.Run(route, func(t *testing.T) {
			ts, _ := endToEnd(t)
			ts.ask(http.MethodPost, route, propped("r1", `{}`, user("u1", "/say hello wide world"))).opened().rest()
			cut := cutAfter(ts, "hello wi")
			other := ts.ask(http.MethodGet, "/agui/threads/t/events?follow=1", "").opened()
			var snapshot []string
			s := ts.ask(http.MethodPost, route, propped("r2", `{}`, cut)).opened()
			for e, ok := s.next(); ok; e, ok = s.next() {
				var f struct {
					Type     string
					Messages []struct{ Content string }
				}
				if err := json.Unmarshal([]byte(e.data), &f); err != nil {
					t.Fatal(err)
				}
				if f.Type == "MESSAGES_SNAPSHOT" && snapshot == nil {
					for _, m := range f.Messages {
						snapshot = append(snapshot, m.Content)
					}
					if e.id != "" {
						t.Errorf("it has a position: %s", e.id)
					}
				}
			}
			if len(snapshot) < 3 || !slices.Equal(snapshot[:3], []string{"/say hello wide world", "hello wide world", "/say next"}) {
				t.Errorf("it is told %q", snapshot)
			}
			// Whoever follows sees the run, as it is in the log.
			var seen []string
			for len(seen) == 0 || seen[len(seen)-1] != "r2 ends" {
				e, ok := other.next()
				if !ok {
					t.Fatalf("it ends after %v", seen)
				}
				if e.data == "" {
					continue // a position
				}
				var f struct{ Type, RunID string }
				if err := json.Unmarshal([]byte(e.data), &f); err != nil {
					t.Fatal(err)
				}
				if e.id != "" {
					seen = append(seen, f.Type)
				}
				if f.Type == "RUN_FINISHED" && f.RunID == "r2" {
					seen = append(seen, "r2 ends")
				}
			}
			if slices.Contains(seen, "MESSAGES_SNAPSHOT") {
				t.Errorf("others see %v", seen)
			}
			var whole string
			for _, m := range ts.restatedMessages() {
				whole += string(m) + ","
			}
			for _, c := range []struct{ run, history string }{{"all", whole}, {"none", ""}} {
				types, _ := ts.ask(http.MethodPost, route, propped(c.run, `{}`, c.history+user(c.run, "/say more"))).opened().rest()
				if slices.Contains(types, "MESSAGES_SNAPSHOT") {
					t.Errorf("a page that sends %s is told %v", c.run, types)
				}
			}
		})
	}
}

func TestHalfAMessageIsHealedInTheQueue(t *testing.T) {
	ts, p, _ := underWay(t)
	waiting := ts.ask(http.MethodPost, "/copilotkit/agent/default/run", propped("r2", `{}`, user("m-r1", slow)+","+user("u2", "/say mine"))).opened()
	ts.awaitQueued()
	p.rest()
	types, last := waiting.rest()
	if !slices.Contains(types, "MESSAGES_SNAPSHOT") || types[0] != "RUN_STARTED" || kindOf(last) != "RUN_FINISHED" || last["runId"] != "r2" {
		t.Errorf("it is told %v %v", types, last)
	}
}

// A run that was taken from the queue and has not begun is told with all that the thread
// holds when it begins, as if it had still waited.
func TestHealedAsTheRunIsTakenUp(t *testing.T) {
	const snapshot = `{"type":"MESSAGES_SNAPSHOT","messages":[]}`
	b := newFake()
	b.submit = answering(admission.Admitted{Disposition: admission.Queued, RunID: "s", Behind: true})
	var begun atomic.Bool
	asked := make(chan struct{}, 10)
	b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
		rep := follow.Repeated{Status: store.RunActive}
		asked <- struct{}{}
		if begun.Load() {
			rep.Events = [][]byte{[]byte(runStarted("t", "r")), []byte(snapshot)}
		}
		return rep, nil
	}
	s := newTestServer(t, b, nil).post(input("t", "r"))
	<-asked
	begun.Store(true)
	b.log(localThread, runStarted("t", "r"), custom("told in the snapshot"))
	s.wants(runStarted("t", "r"), snapshot)
	b.log(localThread, runFinished("t", "r"))
	s.wants(runFinished("t", "r"))
	s.ends()
}

// Who leaves while all that the thread holds is read for them has left.
func TestLeavingWhileHealed(t *testing.T) {
	b := newFake()
	b.submit = answering(admission.Admitted{Disposition: admission.Started, RunID: "s", Behind: true})
	b.restating = func(ctx context.Context) { <-ctx.Done() }
	b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
		return follow.Repeated{}, context.Canceled
	}
	ts := newTestServer(t, b, &Options{DisconnectGrace: time.Hour})
	s := ts.ask(http.MethodPost, "/agui", input("t", "r")).opened()
	eventually(t, "it is asked for", func() bool { return b.followers() == 1 })
	s.cancel()
	ts.isLeft()
}
