package edge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// from is a connection in memory from an address.
type from struct {
	net.Conn
	peer string
}

func (f from) RemoteAddr() net.Addr { return &net.UnixAddr{Name: f.peer} }

// wire is a listener of such connections.
type wire struct {
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.done:
		return nil, net.ErrClosed
	}
}
func (w *wire) Close() error   { w.once.Do(func() { close(w.done) }); return nil }
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "wire"} }

// visitor is the client's end of a connection.
type visitor struct {
	net.Conn
	r *bufio.Reader
}

func (v *visitor) ask(path string) error {
	if _, err := fmt.Fprintf(v, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		return err
	}
	resp, err := http.ReadResponse(v.r, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

type house struct {
	edge              *Edge
	wire              *wire
	inside, displaced atomic.Int64
}

// visit opens a connection from an address.
func (h *house) visit(peer string) *visitor {
	near, far := net.Pipe()
	h.wire.conns <- from{far, peer}
	synctest.Wait()
	return &visitor{near, bufio.NewReader(near)}
}

// open serves inside a synctest bubble. /known recognises who asks.
func open(t *testing.T, opts Options, visits func(*house)) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{wire: &wire{conns: make(chan net.Conn), done: make(chan struct{})}}
		opts.WriteTimeout, opts.Log = time.Second, slog.New(slog.DiscardHandler)
		opts.Address = func(a net.Addr) string { return a.String() }
		opts.Counted = func(n int) { h.inside.Add(int64(n)) }
		opts.Displaced = func() { h.displaced.Add(1) }
		h.edge = New(opts)
		server := h.edge.Server(h.edge.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/known":
				Recognise(r.Context())
			case "/works":
				Recognise(r.Context())
				time.Sleep(time.Minute)
			case "/hijack":
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				c.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
				time.AfterFunc(time.Minute, func() {
					c.Write([]byte("late"))
					c.Close()
				})
			}
		})))
		served := make(chan error, 1)
		go func() { served <- server.Serve(h.wire) }()
		visits(h)
		h.edge.Hurry()
		if err := server.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
		synctest.Wait()
		if n := h.inside.Load(); n != 0 || h.edge.strangers.Len() != 0 || len(h.edge.of) != 0 || len(h.edge.open) != 0 {
			t.Errorf("%d are counted, %d listed, %d open after the end", n, h.edge.strangers.Len(), len(h.edge.open))
		}
	})
}

// The oldest connection of nobody makes room, first of the same address, and those
// of somebody stay.
func TestStrangersMakeRoom(t *testing.T) {
	open(t, Options{Strangers: 6, StrangersPerAddress: 3}, func(h *house) {
		known := h.visit("a")
		answered := make(chan error, 1)
		go func() { answered <- known.ask("/works") }()
		synctest.Wait()
		idle := h.visit("b")
		if err := idle.ask("/known"); err != nil {
			t.Fatal(err)
		}
		other := h.visit("b")
		first := h.visit("a")
		for range 100 {
			h.visit("a")
		}
		if n := h.displaced.Load(); n != 98 || h.inside.Load() != 5 {
			t.Errorf("%d made room, %d are there", n, h.inside.Load())
		}
		if err := first.ask("/"); err == nil {
			t.Error("the oldest of its address is still there")
		}
		for _, v := range []*visitor{idle, other} {
			if err := v.ask("/"); err != nil {
				t.Error(err)
			}
		}
		for n := range 100 {
			h.visit(fmt.Sprint("c", n))
		}
		if h.inside.Load() != 6 {
			t.Errorf("%d are there", h.inside.Load())
		}
		for _, v := range []*visitor{idle, other} {
			if err := v.ask("/"); err == nil {
				t.Error("the oldest of all is still there")
			}
		}
		if err := <-answered; err != nil {
			t.Error("somebody had to make room:", err)
		}
		if err := h.visit("d").ask("/"); err != nil {
			t.Error("who comes finds no room:", err)
		}
	})
}

// Who takes a connection over is not held to what was set on it before, and it is
// nobody's no more.
func TestHijackedAreLeftAlone(t *testing.T) {
	open(t, Options{Strangers: 2, StrangersPerAddress: 2}, func(h *house) {
		v := h.visit("a")
		if err := v.ask("/hijack"); err != nil {
			t.Fatal(err)
		}
		for range 10 {
			h.visit("a")
		}
		rest, err := io.ReadAll(v.r)
		if string(rest) != "late" || err != nil {
			t.Errorf("got %q, %v", rest, err)
		}
	})
}

// A flood of net/http's errors costs the log some lines, and none is endless.
func TestErrorLogIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		l := errorLog(slog.New(slog.NewTextHandler(&out, nil)))
		for range 10_000 {
			l.Printf("http: TLS handshake error from 192.0.2.1:9: forged\nlevel=ERROR msg=forged")
		}
		if n := strings.Count(out.String(), "\n"); n != errorBurst {
			t.Errorf("%d lines", n)
		}
		time.Sleep(2 * time.Second)
		out.Reset()
		l.Print(strings.Repeat("x", 1<<20))
		if got := out.String(); len(got) > errorBytes+200 || !strings.Contains(got, fmt.Sprint("unsaid=", 10_000-errorBurst)) {
			t.Errorf("%d bytes: %.200s", len(got), got)
		}
	})
}

// A proxy that keeps connections meets none that the server has closed: it is told to ask no
// more on each, and has the time to close those that it does not use.
func TestProxiesCloseTheirConnections(t *testing.T) {
	proxied := Options{Strangers: -1, StrangersPerAddress: -1, Proxy: func(a net.Addr) bool { return a.String() == "proxy" }}
	settles := func(h *house) (took func() time.Duration) {
		began, done := time.Now(), make(chan time.Duration, 1)
		h.edge.Hurry()
		go func() {
			h.edge.Settle(context.Background())
			done <- time.Since(began)
		}()
		return func() time.Duration { return <-done }
	}
	open(t, proxied, func(h *house) {
		used, left := h.visit("proxy"), h.visit("proxy")
		for _, v := range []*visitor{used, left, h.visit("a browser")} {
			if err := v.ask("/"); err != nil {
				t.Fatal(err)
			}
		}
		took := settles(h)
		time.Sleep(4 * time.Second)
		if _, err := io.WriteString(used, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if resp, err := http.ReadResponse(used.r, nil); err != nil || !resp.Close {
			t.Errorf("the proxy is not told that the connection ends: %v, %v", resp, err)
		}
		left.Close()
		if d := took(); d != 4*time.Second {
			t.Errorf("it took %v", d)
		}
	})
	open(t, proxied, func(h *house) {
		if err := h.visit("proxy").ask("/known"); err != nil {
			t.Fatal(err)
		}
		if d := settles(h)(); d != reuse {
			t.Errorf("a proxy that closes nothing held the end up for %v", d)
		}
	})
	open(t, proxied, func(h *house) {
		h.visit("a browser")
		if d := settles(h)(); d != 0 {
			t.Errorf("without a proxy it took %v", d)
		}
	})
}
