package client_test

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/client"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come, also on a machine that does
// much else.
const patience = 60 * time.Second

// node is a server of the script agent.
type node struct {
	t    testing.TB
	http *httptest.Server
	ws   *server.Server
	down bool
}

func serve(t testing.TB, options *server.Options) *node {
	t.Helper()
	store, err := redisstore.Embedded(nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return serveFrom(t, store, options)
}

func serveFrom(t testing.TB, store *redisstore.Store, options *server.Options) *node {
	t.Helper()
	runs, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": script.New(script.Options{})}})
	if err != nil {
		t.Fatal(err)
	}
	if options == nil {
		options = &server.Options{}
	}
	options.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	options.FrameBurst, options.InputBurst = 10_000, 10_000
	ws, err := server.New(runs, options)
	if err != nil {
		t.Fatal(err)
	}
	n := &node{t: t, ws: ws, http: httptest.NewServer(ws.Handler())}
	t.Cleanup(n.stop)
	return n
}

func (n *node) stop() {
	if n.down {
		return
	}
	n.down = true
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := n.ws.Shutdown(ctx); err != nil {
		n.t.Errorf("shutdown: %v", err)
	}
	n.http.Close()
}

func (n *node) url() string { return n.http.URL + "/agui/ws" }

// network connects to whichever node is current, and can be cut.
type network struct {
	mu     sync.Mutex
	node   *node
	open   map[net.Conn]struct{}
	chance *rand.Rand // cuts connections after some bytes, if there is one
	most   int
}

// over makes the network to a node, for a client.
func over(t testing.TB, n *node) (*network, *http.Client) {
	w := &network{node: n, open: map[net.Conn]struct{}{}}
	transport := &http.Transport{DialContext: w.dial}
	t.Cleanup(transport.CloseIdleConnections)
	return w, &http.Client{Transport: transport}
}

func (w *network) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var d net.Dialer
	c, err := d.DialContext(ctx, network, w.node.http.Listener.Addr().String())
	if err != nil {
		return nil, err
	}
	cut := &cable{Conn: c, left: -1}
	if w.chance != nil {
		cut.left = w.chance.IntN(w.most)
	}
	w.open[cut] = struct{}{}
	return cut, nil
}

// lose cuts all connections.
func (w *network) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.open {
		c.Close()
	}
	clear(w.open)
}

func (w *network) turnTo(n *node) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.node = n
}

func (w *network) calm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.chance = nil
}

// cable is cut when so many bytes were read; -1 is never.
type cable struct {
	net.Conn
	left int
}

func (c *cable) Read(b []byte) (int, error) {
	if c.left == 0 {
		c.Close()
		return 0, net.ErrClosed
	}
	if c.left > 0 && len(b) > c.left {
		b = b[:c.left]
	}
	n, err := c.Conn.Read(b)
	if c.left > 0 {
		c.left -= n
	}
	return n, err
}

// quick reconnects without the pauses that people do not mind.
func quick(h *http.Client) *client.Options {
	return &client.Options{HTTPClient: h, BackoffMin: time.Millisecond, BackoffMax: 20 * time.Millisecond}
}

func dial(t testing.TB, n *node, options *client.Options) *client.Client {
	t.Helper()
	c, err := client.Dial(t.Context(), n.url(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func follow(t testing.TB, c *client.Client, thread string) *client.Thread {
	t.Helper()
	th, err := c.Follow(within(t), thread, nil)
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}
