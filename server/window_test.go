package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
)

func TestAttachWithAWindow(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("1"))
	b.attached = func(a *follow.Attached) { a.Older, a.Before = 7, "place" }
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","window":5}`)
	c.wants(
		`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":1,"recovered":false,"reason":"no_position","interrupts":[],"queued":[],"older":7,"before":"place"}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1,"uncounted":2}`,
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","metadata":{"aguiws":{"restated":true}}}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
		`{"type":"ws.live","threadId":"t","seq":1}`)
	windows := func() (list []int) {
		b.set(func() {
			for _, f := range b.thread(localThread).followers {
				list = append(list, f.window)
			}
		})
		return list
	}
	if got := fmt.Sprint(windows()); got != "[5]" {
		t.Errorf("the followers have windows of %s", got)
	}
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	if got := fmt.Sprint(windows()); got != "[0]" {
		t.Errorf("attached again the followers have windows of %s", got)
	}
	for _, window := range []string{`0`, `-1`, `1001`, `1.5`, `"5"`, `null`, `{}`} {
		c.send(`{"type":"ws.attach","id":"x","threadId":"t","window":` + window + `}`)
		c.wants(`{"type":"ws.error","code":"invalid_frame","message":"window: expected an integer from 1 to 1000","id":"x","threadId":"t"}`)
	}
}

func TestPagesOfMessages(t *testing.T) {
	b := newFake()
	var asked store.MessageQuery
	b.messages = func(key store.ThreadKey, q store.MessageQuery) (*store.MessagePage, error) {
		asked = q
		switch q.Before {
		case "gone":
			return nil, fmt.Errorf("no: %w", store.ErrBadCursor)
		case "broken":
			return nil, fmt.Errorf("no: %w", store.ErrCorrupted)
		case "held":
			return nil, fmt.Errorf("no: %w", store.ErrNoRoom)
		case "away":
			return nil, errors.New("no")
		}
		if key != localThread {
			return nil, nil
		}
		return &store.MessagePage{Messages: []json.RawMessage{json.RawMessage(`{"id":"m","role":"user","content":"hi"}`)}, Older: 3, Before: "next"}, nil
	}
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.messages","id":"1","threadId":"t"}`)
	c.wants(`{"type":"ws.messages","id":"1","threadId":"t","messages":[{"id":"m","role":"user","content":"hi"}],"older":3,"before":"next"}`)
	if asked != (store.MessageQuery{Limit: 50}) {
		t.Errorf("asked for %+v", asked)
	}
	c.send(`{"type":"ws.messages","threadId":"t","before":"place","limit":1000}`)
	c.wants(`{"type":"ws.messages","threadId":"t","messages":[{"id":"m","role":"user","content":"hi"}],"older":3,"before":"next"}`)
	if asked != (store.MessageQuery{Before: "place", Limit: 1000}) {
		t.Errorf("asked for %+v", asked)
	}
	c.send(`{"type":"ws.messages","threadId":"unused"}`)
	c.wants(`{"type":"ws.messages","threadId":"unused","messages":[]}`)
	for before, want := range map[string]string{
		`"gone"`:   `"code":"invalid_frame","message":"before: not a place of this thread's messages; attach again"`,
		`"broken"`: `"code":"state_corrupted","message":"the stored thread cannot be read; the thread can be deleted"`,
		`"held"`:   `"code":"overloaded","message":"too much is held for clients now; ask again","retryAfterMs":5000`,
		`"away"`:   `"code":"store_unavailable","message":"the thread cannot be read now; ask again","retryAfterMs":1000`,
		`7`:        `"code":"invalid_frame","message":"before: expected a string that the server has given"`,
	} {
		c.send(`{"type":"ws.messages","id":"x","threadId":"t","before":` + before + `}`)
		c.wants(`{"type":"ws.error","id":"x","threadId":"t",` + want + `}`)
	}
	c.send(`{"type":"ws.messages","threadId":"t","limit":0}`)
	c.wants(`{"type":"ws.error","code":"invalid_frame","message":"limit: expected an integer from 1 to 1000","threadId":"t"}`)
}

// A stream has the option of ws.attach, with the same bounds.
func TestEventsWithAWindow(t *testing.T) {
	for _, c := range []struct {
		query         string
		window        int
		older, before string // as the header says; "": it is left out
	}{
		{"?window=5", 5, "7", "place"},
		{"?window=1000&follow=1", 1000, "7", "place"},
		{"?window=", 0, "", ""},
		{"", 0, "", ""},
	} {
		b := newFake()
		b.log(localThread, custom("1"))
		window := 0
		b.attached = func(a *follow.Attached) {
			for _, f := range b.thread(localThread).followers {
				if window = f.window; window > 0 {
					a.Older, a.Before = 7, "place"
				}
			}
		}
		s := newTestServer(t, b, nil).events(c.query)
		h := s.resp.Header
		if older, before := h.Get("Aguiws-Older"), h.Get("Aguiws-Before"); older != c.older || before != c.before || h.Get("Aguiws-Recovered") != "false" {
			t.Errorf("%s: %v", c.query, h)
		}
		s.expect("RUN_STARTED")
		s.expect("MESSAGES_SNAPSHOT")
		b.set(func() {
			if window != c.window {
				t.Errorf("%s: the follower has a window of %d", c.query, window)
			}
		})
	}
	ts := newTestServer(t, newFake(), nil)
	for _, window := range []string{"0", "-1", "1001", "1.5", "%225%22", "null", "many"} {
		refused := ts.ask("GET", "/agui/threads/t/events?window="+window, "").refusedWith(400, "code", "invalid_input")
		if refused["message"] != "window: expected an integer from 1 to 1000" {
			t.Errorf("%s: %v", window, refused)
		}
	}
}
