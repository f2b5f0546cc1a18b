package server

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/internal/suite"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/metrics"
)

// stalled opens a stream by hand and reads nothing of it.
func stalled(ts *testServer, request string) net.Conn {
	ts.t.Helper()
	conn, err := net.Dial("tcp", ts.http.Listener.Addr().String())
	if err != nil {
		ts.t.Fatal(err)
	}
	ts.t.Cleanup(func() { conn.Close() })
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		ts.t.Fatal(err)
	}
	if _, err := io.WriteString(conn, request); err != nil {
		ts.t.Fatal(err)
	}
	return conn
}

var postThread = fmt.Sprintf("POST /agui HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
	len(input("t", "r")), input("t", "r"))

const followThread = "GET /agui/threads/t/events?follow=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"

func big(i int) string {
	return fmt.Sprintf(`{"type":"CUSTOM","name":"%d","value":%q}`, i, strings.Repeat("x", 60<<10))
}

// A client that takes nothing is given up after the write timeout. It holds up
// neither the thread nor its other followers.
func TestStalledStream(t *testing.T) {
	t.Parallel() // it ends by the clock
	b := newFake()
	// Longer than this process may stand still while it writes to the one that reads.
	ts := newTestServer(t, b, &Options{WriteTimeout: 3 * time.Second})
	stalled(ts, followThread)
	eventually(t, "it is served", func() bool { return b.followers() == 1 })
	stalled(ts, postThread)
	eventually(t, "both are served", func() bool { return b.followers() == 2 })
	reads := ts.events("?after=e1:0&follow=1")
	for i := range 120 { // 7 MB: more than any buffer on the way
		b.log(localThread, big(i))
		for reads.expect("")["name"] != fmt.Sprint(i) {
		}
	}
	eventually(t, "both are given up", func() bool { return b.followers() == 1 })
	reads.cancel()
	ts.idle(b)
}

// A client that reads slowly is waited for, without anything being kept for it.
func TestSlowStream(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{WriteTimeout: patience})
	// From the beginning: a server that attaches late replays what was logged meanwhile.
	conn := stalled(ts, "GET /agui/threads/t/events?after=e1:0&follow=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	for i := range 200 {
		b.log(localThread, big(i))
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := &sseStream{t: t, resp: resp, lines: bufio.NewReader(resp.Body)}
	for i := range 200 {
		if e := s.expect("CUSTOM"); e["name"] != fmt.Sprint(i) {
			t.Fatalf("event %d is %v", i, e["name"])
		}
	}
}

// Draining tells a run's client how to learn the rest, and writes the end if the
// run comes to it.
func TestDrainingStreams(t *testing.T) {
	for name, end := range map[string]string{"the run ends": runFinished("t", "r"), "it goes on elsewhere": ""} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			ts := newTestServer(t, b, nil)
			runs, follows := ts.post(input("t", "r")), ts.events("?after=e1:0&follow=1")
			runs.wants(runStarted("t", "r"))
			follows.wants(runStarted("t", "r"))
			b.shutdown = func() {
				ts.ask(http.MethodPost, "/agui", input("t", "late")).refusedWith(503, "code", "server_draining")
				ts.ask(http.MethodGet, "/agui/threads/t/events", "").refusedWith(503, "code", "server_draining")
				if end != "" {
					b.log(localThread, end)
				}
			}
			ts.stop()
			if end != "" {
				runs.wants(end)
				runs.ends()
				follows.wants(end)
			} else {
				e := runs.fails("server_draining")
				if !strings.Contains(fmt.Sprint(e["metadata"]), "retryAfterMs") {
					t.Errorf("got %v", e)
				}
			}
			follows.ends()
			ts.idle(b)
		})
	}
}

// Shutdown's patience ends for a client that takes nothing, too.
func TestShutdownCutsStreams(t *testing.T) {
	t.Parallel() // it ends by the clock
	b := newFake()
	ts := newTestServer(t, b, &Options{WriteTimeout: time.Hour})
	stalled(ts, followThread)
	eventually(t, "it is served", func() bool { return b.followers() == 1 })
	for i := range 120 {
		b.log(localThread, big(i))
	}
	ts.down = true
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	if err := ts.Shutdown(ctx); err == nil {
		t.Error("it waited for nothing")
	}
	ts.idle(b)
}

// byHand serves a backend inside a synctest bubble. answer sends what it is
// given on one connection and reads an answer.
func byHand(t *testing.T, b core.Backend, opts *Options) (answer func(request string) (status int, body string)) {
	t.Helper()
	_, p, end := piped(t, b, opts)
	near, far := net.Pipe()
	p.conns <- far
	t.Cleanup(func() {
		near.Close()
		end()
	})
	r := bufio.NewReader(tap(near))
	return func(request string) (int, string) {
		t.Helper()
		if _, err := io.WriteString(near, request); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
}

// authorized is a request with a token.
func authorized(request, token string) string {
	return strings.Replace(request, "\r\n\r\n", "\r\nAuthorization: Bearer "+token+"\r\n\r\n", 1)
}

// The write deadline of a stream is not that of the connection's next answer.
func TestStreamLeavesNoDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		b.submit = refusedWith("thread_busy")
		answer := byHand(t, b, &Options{WriteTimeout: time.Second})
		if _, got := answer(postThread); !strings.Contains(got, "thread_busy") {
			t.Errorf("got %s", got)
		}
		time.Sleep(time.Minute)
		if _, got := answer("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); got != "ok\n" {
			t.Errorf("got %q", got)
		}
	})
}

// A body that stops coming is not waited for without end.
func TestPostSlowBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		status, got := byHand(t, newFake(), &Options{})(strings.TrimSuffix(postThread, "}"))
		if waited := time.Since(began); status != 408 || !strings.Contains(got, "body_too_slow") || waited != 10*time.Second {
			t.Errorf("after %v: %d %s", waited, status, got)
		}
	})
}

func TestStreamMetrics(t *testing.T) {
	m := metrics.New()
	b := newFake()
	ts := newTestServer(t, b, &Options{Metrics: m})
	s, follows := ts.post(input("t", "r")), ts.events("?follow=1")
	s.wants(runStarted("t", "r"))
	if n := value(t, m, "aguiws_streams"); n != 2 {
		t.Errorf("%v streams are counted", n)
	}
	s.cancel()
	follows.cancel()
	ts.idle(b)
	if n := value(t, m, "aguiws_streams"); n != 0 {
		t.Errorf("%v streams are counted", n)
	}
	ts.ask(http.MethodPost, "/agui", "[]").refusedWith(400, "code", "invalid_input")
	ts.copilotkit("run", "x", "Content-Type", "text/plain").refusedWith(415, "error", "unsupported_media_type")
	for _, code := range []string{"invalid_input", "unsupported_media_type"} {
		counts(t, m, 1, "aguiws_refusals_total", code)
	}
}

// A client that takes something all the time is no stalled one, however much the kernel
// holds for it.
func TestStreamThatIsTakenSlowly(t *testing.T) {
	suite.Full(t) // it goes by the clock and by what the kernel takes in meanwhile
	if runtime.GOOS != "linux" {
		t.Skip("what the kernel holds is not known here")
	}
	b := newFake()
	const events = 60 // 3.7 MB: more than the kernel holds
	for i := range events {
		b.log(localThread, big(i))
	}
	s, err := newServer(b, nil, &Options{WriteTimeout: time.Second, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	defer func() {
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-served
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.(*net.TCPConn).SetReadBuffer(64 << 10)
	io.WriteString(c, strings.Replace(followThread, "?follow=1", "?after=e1:0", 1))
	pace := time.NewTicker(50 * time.Millisecond) // about 330 kB/s: a third of 1 MiB takes longer than the timeout
	defer pace.Stop()
	buf, got := make([]byte, 16<<10), 0
	for got < events*60<<10 {
		n, err := io.ReadFull(c, buf)
		got += n
		if err != nil {
			t.Fatalf("after %d bytes: %v", got, err)
		}
		<-pace.C
	}
}
