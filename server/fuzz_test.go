package server

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/redisstore"
)

// fuzzed is a server over a store in memory whose agent says a word.
func fuzzed(f *testing.F) *Server {
	f.Helper()
	quiet := slog.New(slog.DiscardHandler)
	store, err := redisstore.Embedded(&redisstore.Options{Logger: quiet})
	if err != nil {
		f.Fatal(err)
	}
	agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error { return run.Say("x") })
	r, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": agent}, Logger: quiet})
	if err != nil {
		f.Fatal(err)
	}
	s, err := New(r, &Options{Logger: quiet})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			f.Error(err)
		}
		store.Close()
	})
	return s
}

// allocated is how much the process has ever taken.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// affordable is what may be taken for so many bytes of a stranger.
func affordable(n int) uint64 { return 32<<20 + 256*uint64(n) }

// recorded is a connection whose peer has said all that it will, and leaves when
// nothing more is answered.
type recorded struct {
	said   *bytes.Reader
	asked  bool // there is something to answer
	mu     sync.Mutex
	heard  bytes.Buffer
	closed chan struct{}
	once   sync.Once
}

func (c *recorded) Read(p []byte) (int, error) {
	n, err := c.said.Read(p)
	if err != nil && c.asked {
		c.listen()
	}
	return n, err
}

// listen waits until a millisecond brought no more of an answer, for a few of them.
func (c *recorded) listen() {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 5 {
		c.mu.Lock()
		length := c.heard.Len()
		c.mu.Unlock()
		select {
		case <-c.closed:
			return
		case <-tick.C:
		}
		c.mu.Lock()
		settled := length > 0 && c.heard.Len() == length
		c.mu.Unlock()
		if settled {
			return
		}
	}
}

func (c *recorded) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.heard.Write(p)
}

func (c *recorded) Close() error {
	c.once.Do(func() { close(c.closed) })
	return nil
}

func (c *recorded) LocalAddr() net.Addr              { return &net.UnixAddr{Name: "pipe"} }
func (c *recorded) RemoteAddr() net.Addr             { return c.LocalAddr() }
func (c *recorded) SetDeadline(time.Time) error      { return nil }
func (c *recorded) SetReadDeadline(time.Time) error  { return nil }
func (c *recorded) SetWriteDeadline(time.Time) error { return nil }

// Whatever a connection begins with, a handshake and frames behind it among that, it
// ends when its peer has, with an answer in HTTP or with none, and costs little.
func FuzzConnection(f *testing.F) {
	s := fuzzed(f)
	p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	served := make(chan error, 1)
	go func() { served <- s.Serve(p) }()
	f.Cleanup(func() {
		p.Close()
		<-served
	})

	shake := "GET /agui/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
		"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
	masked := func(kind byte, text string) string {
		return string([]byte{kind, 0x80 | 126, 0, byte(len(text)), 0, 0, 0, 0}) + text
	}
	for _, seed := range []string{
		shake + "Sec-WebSocket-Protocol: agui.v1.json\r\n\r\n" + masked(0x81, `{"type":"ws.ping","id":"1"}`) + masked(0x88, "\x03\xe8"),
		shake + "Sec-WebSocket-Protocol: agui.v1.json, agui.bearer.eA\r\n\r\n" + masked(0x81, `{"type":"ws.attach","threadId":"t"}`) + masked(0x89, "?"),
		shake + "Sec-WebSocket-Protocol: agui.v1.json\r\n\r\n" + masked(0x81, input("u", "r")) + masked(0x81, `{"type":"ws.cancel","threadId":"u","runId":"r"}`) +
			masked(0x81, `{"type":"ws.detach","threadId":"u"}`),
		shake + "\r\n" + masked(0x81, input("v", "r")),
		shake + "\r\n" + masked(0x01, `{"threadId":"t","runId":"r",`) + masked(0x80, `"messages":[]}`) + masked(0x82, "\x00"),
		shake + "Origin: http://evil.example\r\nContent-Length: 5\r\n\r\nhello",
		"GET /readyz HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: [::1]:80, 10.0.0.1\r\n\r\nGET /v1/threads HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"POST /agui HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		"POST /v1/threads/t/input HTTP/1.1\r\nHost: [::1]\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{\"text\"",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"GET http://evil.example/agui/threads/%00/events?after=x:1 HTTP/1.0\r\nAuthorization: Bearer \x80\r\n\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		c := &recorded{said: bytes.NewReader(said), asked: bytes.Contains(said, []byte("\n\r\n")), closed: make(chan struct{})}
		before := allocated()
		p.conns <- c
		select {
		case <-c.closed:
		case <-time.After(30 * time.Second):
			t.Fatalf("the connection of %q, which has ended, is kept", said)
		}
		if took := allocated() - before; took > affordable(len(said)) {
			t.Errorf("%d bytes made the server take %d", len(said), took)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.heard.Len() == 0 {
			return
		}
		answer, err := http.ReadResponse(bufio.NewReader(&c.heard), nil)
		if err != nil {
			t.Fatalf("%q was answered with no HTTP: %v", said, err)
		}
		answer.Body.Close()
		if answer.StatusCode == http.StatusInternalServerError {
			t.Errorf("%q was answered %s", said, answer.Status)
		}
	})
}

// Whatever a body says, each route that takes one answers, not by an error of its
// own, and costs little.
func FuzzBody(f *testing.F) {
	h := fuzzed(f).Handler()
	routes := []string{
		"POST /agui", "POST /v1/threads/t/input", "POST /v1/threads/t/interrupts/resolve", "PATCH /v1/threads/t", "POST /v1/threads/t/interrupt",
		"POST /v1/threads/t/runs/r/cancel", "POST /copilotkit", "POST /copilotkit/agent/default/run", "POST /copilotkit/agent/default/connect",
	}
	for n, seed := range []string{
		input("t", "r"), `{"text":"x","after":"m"}`, `{"entries":[{"interruptId":"i","status":"resolved","payload":{"approved":true}}]}`,
		`{"title":"x"}`, `{"reason":"x"}`, `{}`, `{"method":"agent/run","params":{"agentId":"default"},"body":` + input("t", "r") + `}`, input("t", "r"), input("t", "r"),
		`{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":[{"type":"text","text":"\ud800"}]}],"state":1e999}`,
		`{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`,
	} {
		f.Add(uint8(n%len(routes)), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, route uint8, body []byte) {
		method, path, _ := strings.Cut(routes[int(route)%len(routes)], " ")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second) // for a stream that follows
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, method, "http://localhost"+path, bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		before := allocated()
		h.ServeHTTP(w, r)
		if took := allocated() - before; took > affordable(len(body)) {
			t.Errorf("%s of %d bytes made the server take %d", path, len(body), took)
		}
		if w.Code == http.StatusInternalServerError || w.Code < 200 || w.Code > 599 {
			all, _ := io.ReadAll(w.Result().Body)
			t.Errorf("%s %q: %d %.300s", path, body, w.Code, all)
		}
	})
}
