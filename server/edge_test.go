package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"crypto/tls"
)

// untilClosed reads until the other end closes, and says how long that took.
func untilClosed(c net.Conn) time.Duration {
	began := time.Now()
	c.SetReadDeadline(began.Add(10 * time.Minute))
	io.Copy(io.Discard, c)
	return time.Since(began)
}

func dial(p *pipes) net.Conn {
	near, far := net.Pipe()
	p.conns <- far
	return near
}

// Whoever is not known, and stops at whatever point, is gone within 15 s.
func TestConnectionsOfNobodyEnd(t *testing.T) {
	const ask = " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	for name, sent := range map[string]string{
		"nothing":               "",
		"half a header":         "GET / HTTP/1.1\r\nHost: 127",
		"refused, no body":      "POST /v1/threads/t/input" + ask + "Content-Type: application/json\r\nContent-Length: 9\r\n\r\n",
		"a run, no body":        "POST /agui" + ask + "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
		"a page, no body":       "POST /" + ask + "Content-Length: 9\r\n\r\n",
		"a body of a GET":       "GET /" + ask + "Content-Length: 9\r\n\r\n",
		"a probe with a body":   "GET /healthz" + ask + "Content-Length: 9\r\n\r\n",
		"another host":          "POST / HTTP/1.1\r\nHost: evil\r\nContent-Length: 9\r\n\r\n",
		"an unfinished chunk":   "POST /agui" + ask + "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
		"a large body":          "POST /agui" + ask + "Content-Length: 100000000\r\n\r\n",
		"a socket with a body":  "GET /agui/ws" + ask + "Connection: Upgrade\r\nUpgrade: websocket\r\nContent-Length: 9\r\n\r\n",
		"who waits to be asked": "POST /agui" + ask + "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n",
		"idle after a refusal":  "GET /agui/capabilities" + ask + "\r\n",
		"idle after the page":   "GET /" + ask + "\r\n",
		"a second half":         "GET /healthz" + ask + "\r\nGET /healthz HTTP",
		"a reading page":        "POST /reads" + ask + "Content-Length: 9\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mux := http.NewServeMux()
				mux.HandleFunc("/reads", func(_ http.ResponseWriter, r *http.Request) { io.Copy(io.Discard, r.Body) })
				_, p, end := piped(t, newFake(), &Options{Auth: byToken{}, Fallback: mux})
				defer end()
				c := dial(p)
				defer c.Close()
				go io.WriteString(c, sent)
				if took := untilClosed(c); took > 15*time.Second {
					t.Errorf("it is held for %v", took)
				}
			})
		})
	}
}

// A body that trickles ends, whoever sends it and whoever reads it; one that keeps
// coming does not.
func TestBodiesMustKeepComing(t *testing.T) {
	for _, c := range []struct {
		name, path   string
		bytes, every int // a second: of what a client sends, and its pause
		most         time.Duration
		status       string
	}{
		{"an input that trickles", "/agui", 1, 4, 15 * time.Second, "408"},
		{"a page that trickles", "/reads", 1, 4, 15 * time.Second, "408"},
		{"an input that takes too long", "/agui", 20 << 10, 4, 40 * time.Second, "408"},
		{"an input that keeps coming", "/agui", 20 << 10, 1, time.Minute, "400"}, // it is no JSON
		{"a page that keeps coming", "/reads", 20 << 10, 4, time.Hour, "200"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mux := http.NewServeMux()
				mux.HandleFunc("/reads", func(w http.ResponseWriter, r *http.Request) {
					if _, err := io.Copy(io.Discard, r.Body); err != nil {
						w.WriteHeader(408)
					}
				})
				_, p, end := piped(t, newFake(), &Options{Auth: byToken{"a": {User: "a"}}, Fallback: mux})
				defer end()
				conn := dial(p)
				defer conn.Close()
				gone := make(chan struct{})
				go func() {
					defer close(gone)
					const length = 1 << 20
					fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", c.path, length)
					for sent := 0; sent < length; sent += c.bytes {
						if _, err := conn.Write(make([]byte, min(c.bytes, length-sent))); err != nil {
							return
						}
						time.Sleep(time.Duration(c.every) * time.Second)
					}
				}()
				began := time.Now()
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took > c.most || !strings.HasPrefix(resp.Status, c.status) {
					t.Errorf("%s after %v", resp.Status, took)
				}
				conn.Close()
				<-gone
			})
		})
	}
}

// A client that takes nothing of an answer loses it, whatever it asked for. One
// that takes it slowly has all of it.
func TestAnswersMustBeTaken(t *testing.T) {
	const size = 1 << 20
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, size))
	})
	t.Run("unread", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, p, end := piped(t, newFake(), &Options{Fallback: page})
			defer end()
			c := dial(p)
			defer c.Close()
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
			time.Sleep(12 * time.Second)
			c.SetReadDeadline(time.Now().Add(time.Second))
			if n, err := io.Copy(io.Discard, c); n > size/2 || err != nil {
				t.Errorf("%d bytes were kept for it: %v", n, err)
			}
		})
	})
	t.Run("slowly", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, p, end := piped(t, newFake(), &Options{Fallback: page})
			defer end()
			c := dial(p)
			defer c.Close()
			io.WriteString(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
			buf, n := make([]byte, 8<<10), 0
			for {
				m, err := io.ReadFull(c, buf)
				if n += m; err != nil {
					break
				}
				time.Sleep(3 * time.Second)
			}
			if n < size {
				t.Errorf("it got %d bytes", n)
			}
		})
	})
	t.Run("refusals", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, p, end := piped(t, newFake(), nil)
			defer end()
			c := dial(p)
			defer c.Close()
			began := time.Now()
			for {
				if _, err := io.WriteString(c, "GET /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
					break
				}
			}
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("it is held for %v", took)
			}
		})
	})
}

// Who was recognised may come back on the same connection.
func TestKnownConnectionsMayIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := byHand(t, newFake(), &Options{Auth: byToken{"a": {User: "a"}}})
		for range 3 {
			if status, got := answer(authorized("GET /agui/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "a")); status != 200 {
				t.Errorf("got %d %s", status, got)
			}
			time.Sleep(time.Minute)
		}
	})
}

// A handshake of TLS that does not go on ends.
func TestHandshakesOfTLSEnd(t *testing.T) {
	lent := httptest.NewTLSServer(http.NotFoundHandler())
	config := lent.TLS.Clone()
	lent.Close()
	synctest.Test(t, func(t *testing.T) {
		s, err := newServer(newFake(), nil, &Options{Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		served := make(chan error, 1)
		go func() { served <- s.Serve(tls.NewListener(p, config)) }()
		for _, sent := range []string{"", "\x16\x03\x01"} {
			c := dial(p)
			go io.WriteString(c, sent)
			if took := untilClosed(c); took > 15*time.Second {
				t.Errorf("it is held for %v", took)
			}
			c.Close()
		}
		s.Shutdown(context.Background())
		<-served
	})
}

// Connections of nobody and requests that are still arriving hold a shutdown up no
// longer than a second or two.
func TestNobodyDelaysShutdown(t *testing.T) {
	const ask = " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
	for name, sent := range map[string]string{
		"nothing":         "",
		"half a header":   "GET / HTTP/1.1\r\nHost: 127",
		"refused":         "POST /agui" + ask + "Content-Length: 9\r\n\r\n",
		"a known body":    "POST /agui" + ask + "Authorization: Bearer a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n",
		"an unread page":  "GET /" + ask + "\r\n",
		"idle":            "GET /healthz" + ask + "\r\n",
		"a second header": "GET /healthz" + ask + "\r\nGET /healthz HTTP",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 1<<20)) })
				_, p, end := piped(t, newFake(), &Options{Auth: byToken{"a": {User: "a"}}, Fallback: page})
				c := dial(p)
				defer c.Close()
				go io.WriteString(c, sent)
				synctest.Wait()
				if name != "an unread page" {
					go io.Copy(io.Discard, c)
				}
				time.Sleep(time.Second)
				began := time.Now()
				end()
				if took := time.Since(began); took > 2*time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// An answer to somebody goes on to its end meanwhile.
func TestShutdownFinishesAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, p, end := piped(t, newFake(), &Options{Auth: byToken{"a": {User: "a"}}})
		c := dial(p)
		defer c.Close()
		var big strings.Builder
		for range 100_000 {
			big.WriteString("x")
		}
		s.identified[""] = []byte(`"` + big.String() + `"`)
		io.WriteString(c, authorized("GET /agui/capabilities HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "a"))
		synctest.Wait() // until it is being answered
		ended := make(chan struct{})
		go func() { end(); close(ended) }()
		time.Sleep(5 * time.Second)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < 100_000 {
			t.Errorf("%d bytes came: %v", n, err)
		}
		<-ended
	})
}

// What is served aside is held to the same.
func TestAsideIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
		aside := Aside(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 1<<20)) }), slog.New(slog.DiscardHandler))
		served := make(chan error, 1)
		go func() { served <- aside.Serve(p) }()
		for _, sent := range []string{"", "GET / HTTP", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\n\r\n"} {
			c := dial(p)
			go io.WriteString(c, sent)
			if took := untilClosed(c); took > 15*time.Second {
				t.Errorf("%q is held for %v", sent, took)
			}
			c.Close()
		}
		unread := dial(p)
		defer unread.Close()
		io.WriteString(unread, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		began := time.Now()
		if err := aside.Shutdown(context.Background()); err != nil || time.Since(began) > 2*time.Second {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		<-served
	})
}
