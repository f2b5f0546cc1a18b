package server

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/server/internal/budget"
	"github.com/aguiws/aguiws/server/internal/frames"
	"github.com/aguiws/aguiws/server/internal/peer"
	"github.com/aguiws/aguiws/server/internal/strictjson"
	"github.com/aguiws/aguiws/server/internal/ws"
)

func TestCloseCodes(t *testing.T) {
	small := &Options{MaxFrameBytes: 100}
	for name, c := range map[string]struct {
		opts *Options
		do   func(*client)
		code websocket.StatusCode
	}{
		"binary":    {nil, func(c *client) { c.ws.Write(context.Background(), websocket.MessageBinary, []byte("{}")) }, 1003},
		"bad UTF-8": {nil, func(c *client) { c.send("{\"type\":\"\xff\"}") }, 1007},
		"too large": {small, func(c *client) { c.send(`{"type":"ws.ping","x":"` + strings.Repeat("x", 100) + `"}`) }, 1009},
		"client's":  {nil, func(c *client) { c.ws.Close(websocket.StatusNormalClosure, "") }, -1},
	} {
		for _, mode := range []string{"full", "plain"} {
			t.Run(name+"/"+mode, func(t *testing.T) {
				b := newFake()
				opts := &Options{}
				if c.opts != nil {
					*opts = *c.opts
				}
				ts := newTestServer(t, b, opts)
				var sock *client
				if mode == "full" {
					sock = ts.dial()
				} else {
					sock = ts.connect("/agui/ws", plainMode)
				}
				c.do(sock)
				if c.code > 0 {
					sock.closed(c.code)
				}
				eventually(t, "the socket is gone", func() bool { return ts.openSockets() == 0 })
			})
		}
	}
}

// A frame of exactly the limit is taken.
func TestFrameOfMaximalSize(t *testing.T) {
	c := newTestServer(t, newFake(), &Options{MaxFrameBytes: 100}).dial()
	frame := `{"type":"ws.ping","x":""}`
	c.send(strings.Replace(frame, `""`, `"`+strings.Repeat("x", 100-len(frame))+`"`, 1))
	c.expect("ws.pong")
}

// The peer that closes gets its close answered.
func TestCloseIsAnswered(t *testing.T) {
	c := newTestServer(t, newFake(), nil).dial()
	if err := c.ws.Close(websocket.StatusNormalClosure, "bye"); err != nil {
		t.Errorf("the closing handshake: %v", err)
	}
}

func TestMalformedFrames(t *testing.T) {
	bad := []string{`[]`, `"x"`, `{`, ``, `null`, `{} {}`, strings.Repeat(`{"a":`, strictjson.MaxDepth+1) + `1` + strings.Repeat(`}`, strictjson.MaxDepth+1), `1`}
	if len(bad) != frames.MaxMalformed {
		t.Fatal("the test needs as many frames as are endured")
	}
	t.Run("full", func(t *testing.T) {
		c := newTestServer(t, newFake(), nil).dial()
		for i, frame := range bad {
			c.send(frame)
			if f := c.expect("ws.error"); f["code"] != "malformed_frame" {
				t.Errorf("%s: %v", frame, f)
			}
			if i == 3 { // a good one changes nothing
				c.send(`{"type":"ws.ping"}`)
				c.expect("ws.pong")
			}
		}
		c.closed(peer.StatusMalformed)
	})
	t.Run("plain", func(t *testing.T) {
		c := newTestServer(t, newFake(), nil).connect("/agui/ws", plainMode)
		for _, frame := range bad {
			c.send(frame)
			if f := c.expect("RUN_ERROR"); f["code"] != "malformed_frame" {
				t.Errorf("%s: %v", frame, f)
			}
		}
		c.closed(peer.StatusMalformed)
	})
}

func TestInvalidFrames(t *testing.T) {
	c := newTestServer(t, newFake(), &Options{FrameBurst: 100}).dial()
	for _, frame := range []string{
		`{"type":"ws.unknown"}`, `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`, `{"type":5}`, `{"type":""}`, `{"type":null}`,
		`{"type":"ws.attach"}`, `{"type":"ws.attach","threadId":""}`, `{"type":"ws.attach","threadId":7}`,
		`{"type":"ws.attach","threadId":"` + strings.Repeat("x", strictjson.MaxName+1) + `"}`,
		`{"type":"ws.attach","threadId":"t","after":{"epoch":"e"}}`, `{"type":"ws.attach","threadId":"t","after":{"seq":1}}`,
		`{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":-1}}`, `{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":1.5}}`,
		`{"type":"ws.attach","threadId":"t","after":{"epoch":"e","seq":"1"}}`, `{"type":"ws.attach","threadId":"t","after":null}`,
		`{"type":"ws.attach","threadId":"t","after":{"epoch":"e","Seq":1}}`,
		`{"type":"ws.attach","threadid":"t"}`,
		`{"type":"ws.detach"}`, `{"type":"ws.cancel","threadId":"t"}`, `{"type":"ws.cancel","runId":"r"}`,
		`{"type":"ws.ping","type":"ws.ping"}`, `{"type":"ws.attach","threadId":"a","thread\u0049d":"b"}`,
		`{"type":"ws.ping","id":"` + strings.Repeat("x", frames.MaxID+1) + `"}`, `{"type":"ws.ping","id":1}`, `{"type":"ws.ping","id":null}`,
	} {
		c.send(frame)
		if f := c.expect("ws.error"); f["code"] != "invalid_frame" || f["message"] == "" {
			t.Errorf("%s: %v", frame, f)
		}
	}
	c.send(`{"type":"ws.ping","id":"` + strings.Repeat("x", frames.MaxID) + `"}`)
	c.expect("ws.pong")
}

func TestExpiredCredential(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left = patience / 2
		began := time.Now()
		_, c, _ := bubble(t, newFake(), &Options{Auth: byToken{"good": {Expires: began.Add(left)}}}, ws.Subprotocol, bearerOffer("good"))
		c.expect("ws.hello")
		c.closed(peer.StatusExpired)
		if took := time.Since(began); took != left {
			t.Errorf("it was closed after %v", took)
		}
	})
}

func TestRevokedCredential(t *testing.T) {
	revoked := make(chan struct{})
	ts := newTestServer(t, newFake(), &Options{Auth: byToken{"good": {Revoked: revoked}}})
	c := ts.connect("/agui/ws", &agui.DialOptions{
		Subprotocols: []string{ws.Subprotocol, bearerOffer("good")}, Header: map[string][]string{"Origin": {ts.http.URL}}})
	c.expect("ws.hello")
	close(revoked)
	c.closed(peer.StatusExpired)
}

func TestFault(t *testing.T) {
	b := newFake()
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) { panic("a bug") }
	ts := newTestServer(t, b, nil)
	c := ts.dial()
	c.send(input("t", "r"))
	c.closed(websocket.StatusInternalError)
	if n := b.followers(); n != 0 {
		t.Errorf("%d followers are left", n)
	}
	ts.dial() // others are not affected

	// So is a log that cannot be read.
	b.set(func() { b.submit = nil })
	plain := ts.connect("/agui/ws", plainMode)
	plain.send(input("t", "r"))
	plain.expect("RUN_STARTED")
	b.log(localThread, `{"type":"RUN_FINISHED","runId":7}`)
	plain.closed(websocket.StatusInternalError)
}

// A frame that finds no room in the budget closes its socket, and no other user's.
func TestOverload(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{CallTimeout: 50 * time.Millisecond, Auth: byToken{"eve": {User: "eve"}, "ann": {User: "ann"}}})
	eve := ts.gate.Account(budget.Bodies, &peer.Caller{User: "\x00eve"})
	defer eve.Close()
	if err := eve.Take(t.Context(), ts.opts.HeldPerUser); err != nil {
		t.Fatal(err)
	}
	c := ts.connect("/agui/ws", bearer("eve", ws.Subprotocol))
	c.send(`{"type":"ws.ping","x":"` + strings.Repeat("x", 1<<20) + `"}`)
	c.closed(websocket.StatusTryAgainLater)
	other := ts.connect("/agui/ws", bearer("ann", ws.Subprotocol))
	other.expect("ws.hello")
	other.send(`{"type":"ws.ping","x":"` + strings.Repeat("x", 1<<20) + `"}`)
	other.expect("ws.pong")
}

// What a frame takes of the budget is there for the next one.
func TestBudgetIsGivenBack(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{CallTimeout: patience})
	c, plain := ts.dial(), ts.connect("/agui/ws", plainMode)
	for range 4 {
		c.send(`{"type":"ws.ping","x":"` + strings.Repeat("x", 3<<20) + `"}`)
		c.expect("ws.pong")
		plain.send(`{"threadId":"t"}`, `{}`)
		plain.expect("RUN_ERROR")
		plain.expect("RUN_ERROR")
	}
	eventually(t, "the budget is given back", func() bool { return ts.gate.Budget.Held() == 0 })
}

func TestDrain(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, nil)
	c, plain := ts.dial(), ts.connect("/agui/ws", plainMode)
	c.follow("t")
	shutting, goOn := make(chan struct{}), make(chan struct{})
	b.shutdown = func() {
		close(shutting)
		<-goOn
		b.log(localThread, custom("1"), custom("2"), custom("3"), custom("4"), custom("last"))
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		ts.stop()
	}()
	<-shutting
	f := c.expect("ws.goaway")
	if ms, ok := f["retryAfterMs"].(float64); f["reason"] != "draining" || !ok || ms < 0 || ms > 1000 {
		t.Errorf("got %v", f)
	}
	// What comes now is refused with a hint, on both kinds of socket.
	c.send(input("t", "r"))
	c.expect("ws.run")
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "server_draining" {
		t.Errorf("got %v", f)
	}
	plain.send(input("t", "r"))
	if f := plain.expect("RUN_ERROR"); f["code"] != "server_draining" {
		t.Errorf("got %v", f)
	}
	close(goOn)
	c.wants(custom("1"), custom("2"), custom("3"), custom("4"), custom("last"))
	c.closed(websocket.StatusServiceRestart)
	plain.closed(websocket.StatusServiceRestart)
	<-stopped
}

// A peer that does not take part in the drain is cut off when it must be over:
// sooner than the WebSocket library would give up waiting for it.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel() // it ends by the clock
	ts := newTestServer(t, newFake(), nil)
	ts.dial() // reads nothing more, so it never answers the close
	ts.down = true
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := ts.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took >= 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// Too many control frames end a socket.
func TestControlFramesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, conn := bubble(t, newFake(), &Options{FramesPerSecond: 1}, ws.Subprotocol)
		c.expect("ws.hello")
		go func() {
			for range 100 {
				if _, err := conn.Write([]byte{0x8a, 0x80, 0, 0, 0, 0}); err != nil { // pongs that nobody asked for
					return
				}
			}
		}()
		c.closed(websocket.StatusPolicyViolation)
		synctest.Wait()
	})
}

// What a client is to be sent waits for room, and what it cannot be sent it is told of.
func TestReplyOverload(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{CallTimeout: 20 * time.Millisecond})
	c, plain := ts.dial(), ts.connect("/agui/ws", plainMode)
	c.follow("t")
	s := ts.post(input("t", "r"))
	s.wants(runStarted("t", "r"))
	plain.send(input("t2", "r"))
	plain.wants(runStarted("t2", "r"))
	release := ts.fill(budget.Replies)
	b.set(func() { b.failing = store.ErrNoRoom })
	c.send(`{"type":"ws.attach","threadId":"other","id":"1"}`)
	for f := c.frame(); ; f = c.frame() {
		if f.Type == "ws.error" {
			if !strings.Contains(string(f.Data), `"code":"overloaded"`) || !strings.Contains(string(f.Data), `"retryAfterMs":5000`) {
				t.Errorf("got %s", f.Data)
			}
			break
		}
	}
	b.set(func() { b.failing = nil })
	large := custom(strings.Repeat("x", 1<<20))
	b.log(localThread, custom("small"))
	s.wants(custom("small"))
	b.log(localThread, large)
	s.fails("overloaded")
	c.closed(websocket.StatusTryAgainLater)
	b.log(store.ThreadKey{Namespace: "local", Thread: "t2"}, large)
	plain.closed(websocket.StatusTryAgainLater)
	release()
}

// fill takes all that there is for a kind.
func (ts *testServer) fill(kind budget.Kind) (release func()) {
	ts.t.Helper()
	others, first := ts.gate.Account(kind, &peer.Caller{}), ts.gate.Account(kind, &peer.Caller{})
	for _, err := range []error{others.Take(ts.t.Context(), ts.opts.HeldBytes/2), first.Take(ts.t.Context(), 1), first.Take(ts.t.Context(), 1<<20)} {
		if err != nil { // the first goes on beyond what there is
			ts.t.Fatal(err)
		}
	}
	return func() {
		others.Close()
		first.Close()
	}
}

// A history that is over the limit is not the end of its thread: the close says what to
// send instead, and that is taken.
func TestHistoryBeyondAFrame(t *testing.T) {
	given := make(chan int, 2)
	agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		given <- len(run.Input().Messages)
		return run.Say("yes")
	})
	ts := nodeWith(t, embedded(t), &runner.Options{Agents: map[string]adapter.Agent{"": agent}}, &Options{MaxFrameBytes: 1000})
	// send returns what the socket was closed with; nil: the run finished.
	send := func(run string, messages ...string) error {
		sock := ts.connect("/agui/ws", plainMode)
		sock.send(`{"threadId":"t","runId":"` + run + `","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[` + strings.Join(messages, ",") + `]}`)
		for {
			f, err := sock.try()
			if err != nil || strings.Contains(string(f.Data), `"RUN_FINISHED"`) {
				return err
			}
		}
	}
	first := `{"id":"m1","role":"user","content":"` + strings.Repeat("x", 600) + `"}`
	answer := `{"id":"a1","role":"assistant","content":"` + strings.Repeat("y", 400) + `"}`
	next := `{"id":"m2","role":"user","content":"and now?"}`
	if err := send("r1", first); err != nil || <-given != 1 {
		t.Fatal(err)
	}
	if err := send("r2", first, answer, next); websocket.CloseStatus(err) != websocket.StatusMessageTooBig || !strings.Contains(err.Error(), "send only those that are new") {
		t.Errorf("the history: %v", err)
	}
	if err := send("r2", next); err != nil {
		t.Errorf("the new message: %v", err)
	} else if n := <-given; n != 3 {
		t.Errorf("the agent was given %d messages", n)
	}
}
