package server

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/protocol/order"
	"github.com/aguiws/aguiws/server/identity"
)

// tanstackInput is an input as TanStack AI's client writes it.
func tanstackInput(thread, run string) string {
	return fmt.Sprintf(`{"threadId":%q,"runId":%q,"messages":[],"state":{},"forwardedProps":{},"data":{}}`, thread, run)
}

// resume opens a socket that goes on behind a position.
func (ts *testServer) resume(run, offset string) *client {
	ts.t.Helper()
	return ts.connect("/agui/ws?"+url.Values{"runId": {run}, "offset": {offset}}.Encode(), plainMode)
}

func placedAs(seq int, event string) string {
	return fmt.Sprintf(`{"id":"t/e1:%d","chunk":%s}`, seq, event)
}

// Whoever opens a plain socket for a run, as TanStack AI's client does, is told how to go
// on with it, and nobody else.
func TestPlainPlaces(t *testing.T) {
	for name, c := range map[string]struct {
		query, input string
		placed       bool
	}{
		"TanStack AI's":    {"?runId=r", tanstackInput("t", "r"), true},
		"named":            {"?runId=r&client=tanstack", input("t", "r"), true},
		"no run is named":  {"", tanstackInput("t", "r"), false},
		"somebody else's":  {"?runId=r", input("t", "r"), false},
		"an unknown one's": {"?runId=r&client=other", input("t", "r"), false},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.log(localThread, custom("before"))
			s := newTestServer(t, b, nil).connect("/agui/ws"+c.query, plainMode)
			s.send(c.input)
			eventually(t, "it has begun", func() bool { return b.followers() == 1 && b.seen() == 2 })
			b.log(localThread, custom("1"), runFinished("t", "r"))
			for i, want := range []string{runStarted("t", "r"), custom("1"), runFinished("t", "r")} {
				if c.placed {
					want = placedAs(2+i, want)
				}
				s.wants(want)
			}
		})
	}
}

// A socket that goes on with a run is sent the rest of that and nothing else, and closes.
func TestPlainResumed(t *testing.T) {
	log := []string{runStarted("t", "r"), custom("1"), custom("2"), custom("3"), custom("4"), runFinished("t", "r"), runStarted("t", "next"), custom("not mine")}
	for name, c := range map[string]struct {
		offset string
		logged int // of the log, at first
		wants  int // from this event to the end of the run; 0: none
		code   string
	}{
		"in its midst":         {offset: "t/e1:3", logged: 8, wants: 4},
		"live":                 {offset: "t/e1:3", logged: 4, wants: 4},
		"where it has come to": {offset: "t/e1:4", logged: 4, wants: 5},
		"at its end":           {offset: "t/e1:6", logged: 8},
		"at the log's end":     {offset: "t/e1:6", logged: 6},
		"another epoch":        {offset: "t/e0:3", logged: 8, code: "store_unavailable"},
		"ahead":                {offset: "t/e1:9", logged: 8, code: "store_unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.log(localThread, log[:c.logged]...)
			if c.logged < 6 {
				b.attached = func(a *follow.Attached) { a.ActiveLabel = "r" }
			}
			ts := newTestServer(t, b, nil)
			s := ts.resume("r", c.offset)
			s.send(input("t", "ignored"))
			if c.logged < 6 {
				eventually(t, "it follows", func() bool { return b.followers() == 1 && b.seen() == int64(c.logged) })
				b.log(localThread, log[c.logged:]...)
			}
			for i := c.wants; c.wants > 0 && i <= 6; i++ {
				s.wants(placedAs(i, log[i-1]))
			}
			if c.code != "" {
				if f := s.expect("RUN_ERROR"); f["code"] != c.code {
					t.Errorf("got %v", f)
				}
			}
			s.closed(websocket.StatusNormalClosure)
			ts.idle(b)
		})
	}
}

func TestPlainResumedRefusals(t *testing.T) {
	auth := byToken{"all": {User: "a", Namespace: "local"}, "runs": {User: "r", Namespace: "local", Scopes: []string{identity.ScopeRun}}}
	ts := newTestServer(t, newFake(), &Options{Auth: auth})
	header := []string{"Connection", "Upgrade", "Upgrade", "websocket", "Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}
	for offset, code := range map[string]string{"-1": "invalid_input", "e1:3": "invalid_input", "t/3": "invalid_input", "/e1:3": "invalid_input", "%zz/e1:3": "invalid_input"} {
		ts.ask("GET", "/agui/ws?"+url.Values{"runId": {"r"}, "offset": {offset}}.Encode(), "", append(header, "Authorization", "Bearer all")...).refusedWith(400, "code", code)
	}
	ts.ask("GET", "/agui/ws?runId=r&offset=t/e1:3", "", append(header, "Authorization", "Bearer runs")...).refusedWith(403, "code", "forbidden")
}

// A client that is cut off goes on by sockets that each read a part of the run.
func TestEndToEndPlainResumed(t *testing.T) {
	ts, p := paced(t)
	c := ts.connect("/agui/ws?runId=r1", plainMode)
	c.send(strings.Replace(says("r1", slow), `{`, `{"data":{},`, 1))
	p.more(3)
	sequence, text := &order.Sequence{}, ""
	take := func() (offset string, over bool) {
		t.Helper()
		f := c.expectAny()
		chunk, err := json.Marshal(f["chunk"])
		if err != nil {
			t.Fatal(err)
		}
		e, err := protocol.Decode(chunk)
		if err == nil {
			err = sequence.Check(e)
		}
		if err != nil {
			t.Fatal(err)
		}
		if piece, ok := e.(*protocol.TextMessageContent); ok {
			text += piece.Delta
		}
		_, over = e.(*protocol.RunFinished)
		return f["id"].(string), over
	}
	var offset string
	for range 5 {
		offset, _ = take()
	}
	for range 3 {
		c.ws.CloseNow()
		c = ts.resume("r1", offset)
		p.more(1)
		offset, _ = take()
	}
	p.rest()
	for over := false; !over; {
		_, over = take()
	}
	c.closed(websocket.StatusNormalClosure)
	if text != counted(40) {
		t.Errorf("the text is %q", text)
	}
}
