package server

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter/runner"
	agui "github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/server/internal/core"
)

// patience is how long a test waits for what must come, also on a machine that
// does much else.
const patience = 30 * time.Second

type testServer struct {
	*Server
	t    *testing.T
	http *httptest.Server
	down bool
}

// backed is a runner as a backend.
type backed struct{ core.Runner }

func running(r *runner.Runner) backed { return backed{core.Runner{Runner: r}} }

// itself is the runner behind a backend that is one in part.
func (r backed) itself() *runner.Runner { return r.Runner.Runner }

func newTestServer(t *testing.T, b core.Backend, opts *Options) *testServer {
	t.Helper()
	if opts == nil {
		opts = &Options{}
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	var r *runner.Runner
	if b, ok := b.(interface{ itself() *runner.Runner }); ok {
		r = b.itself()
	}
	s, err := newServer(b, r, opts)
	if err != nil {
		t.Fatal(err)
	}
	ts := &testServer{Server: s, t: t, http: httptest.NewServer(s.Handler())}
	tapTransport(ts.http.Client().Transport.(*http.Transport))
	t.Cleanup(func() {
		ts.stop()
		ts.http.Close()
	})
	return ts
}

// openSockets is how many sockets and streams there are.
func (s *Server) openSockets() int {
	n, _ := s.gate.Open("")
	return n
}

// stop drains the server; a second call does nothing.
func (ts *testServer) stop() {
	if ts.down {
		return
	}
	ts.down = true
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := ts.Shutdown(ctx); err != nil {
		ts.t.Errorf("shutdown: %v", err)
	}
	eventually(ts.t, "nothing is held for clients", func() bool { return ts.gate.Budget.Held() == 0 })
}

// client is the test's end of a socket.
type client struct {
	t  *testing.T
	ws *agui.Conn
}

// dial opens a socket with the binding's subprotocol and reads the greeting.
func (ts *testServer) dial() *client {
	ts.t.Helper()
	c := newTestClient(ts)
	c.expect("ws.hello")
	return c
}

// newTestClient opens a socket with the binding's subprotocol.
func newTestClient(ts *testServer) *client {
	ts.t.Helper()
	return ts.connect("/agui/ws", nil)
}

func (ts *testServer) connect(path string, opts *agui.DialOptions) *client {
	ts.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ws, err := agui.Open(ctx, ts.http.URL+path, opts)
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { ws.CloseNow() })
	return &client{ts.t, ws}
}

// plainMode asks for no binding.
var plainMode = &agui.DialOptions{Subprotocols: []string{}}

func bearer(token string, subprotocols ...string) *agui.DialOptions {
	return &agui.DialOptions{Subprotocols: append([]string{}, subprotocols...), Header: http.Header{"Authorization": {"Bearer " + token}}}
}

func (c *client) send(frames ...string) {
	c.t.Helper()
	for _, f := range frames {
		if err := c.ws.Write(context.Background(), websocket.MessageText, []byte(f)); err != nil {
			c.t.Fatal(err)
		}
	}
}

// follow attaches to a thread of which the client has nothing.
func (c *client) follow(thread string) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"type":"ws.attach","threadId":%q}`, thread))
	c.expect("ws.attached")
	c.expect("ws.live")
}

// read returns the next frame as it came.
func (c *client) read() []byte {
	c.t.Helper()
	return c.frame().Data
}

// frame returns the next frame.
func (c *client) frame() *agui.Frame {
	c.t.Helper()
	f, err := c.try()
	if err != nil {
		c.t.Fatalf("no frame: %v", err)
	}
	return f
}

// try returns the next frame, or why there is none.
func (c *client) try() (*agui.Frame, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.ws.Receive(ctx)
}

// expect reads the next frame, which must be of the type.
func (c *client) expect(kind string) map[string]any {
	c.t.Helper()
	data := c.read()
	var frame map[string]any
	if err := json.Unmarshal(data, &frame); err != nil {
		c.t.Fatalf("%s: %v", data, err)
	}
	if frame["type"] != kind {
		c.t.Fatalf("got %s, want %s", data, kind)
	}
	return frame
}

// wants reads a frame for each of the given ones; each must have the same
// members with the same values, and may have no other.
func (c *client) wants(frames ...string) {
	c.t.Helper()
	for _, want := range frames {
		got := c.read()
		if !sameJSON(c.t, got, []byte(want)) {
			c.t.Fatalf("got  %s\nwant %s", got, want)
		}
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return reflect.DeepEqual(x, y)
}

// closed reads until the server closes, which must be with the code.
func (c *client) closed(code websocket.StatusCode) {
	c.t.Helper()
	for {
		f, err := c.try()
		if err == nil {
			c.t.Logf("before the close: %s", f.Data)
			continue
		}
		if got := websocket.CloseStatus(err); got != code {
			c.t.Fatalf("closed with %d (%v), want %d", got, err, code)
		}
		return
	}
}

// eventually waits for a condition that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

// awaitQueued waits until an input waits on thread t of a real runner.
func (ts *testServer) awaitQueued() {
	ts.t.Helper()
	eventually(ts.t, "it is queued", func() bool {
		thread, err := ts.control.Thread(ts.t.Context(), localThread)
		return err == nil && thread.Queued == 1
	})
}

// awaitSender waits until the sender of one input is remembered.
func (ts *testServer) awaitSender() {
	ts.t.Helper()
	eventually(ts.t, "it waits", func() bool {
		return ts.core.Awaiting.Inputs() == 1
	})
}

func (ts *testServer) get(path string, header http.Header, host string) (int, http.Header, map[string]any) {
	ts.t.Helper()
	r, err := http.NewRequest(http.MethodGet, ts.http.URL+path, nil)
	if err != nil {
		ts.t.Fatal(err)
	}
	for name, values := range header {
		r.Header[name] = values
	}
	r.Host = host
	resp, err := ts.http.Client().Do(r)
	if err != nil {
		ts.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		ts.t.Fatal(err)
	}
	var m map[string]any
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(body, &m); err != nil {
			ts.t.Fatalf("%s: %v", body, err)
		}
	}
	return resp.StatusCode, resp.Header, m
}

func newRequest(t *testing.T, ctx context.Context, method, url string, body io.Reader) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
