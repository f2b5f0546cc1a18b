package edge

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// counting counts what a connection is written, and how often it is closed for writing alone.
type counting struct {
	*net.TCPConn
	writes, closed *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(p)
}

func (c counting) CloseWrite() error {
	c.closed.Add(1)
	return c.TCPConn.CloseWrite()
}

type countingListener struct {
	net.Listener
	writes, closed atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatherer{network: counting{c.(*net.TCPConn), &l.writes, &l.closed}}, nil
}

func TestPushIsOneWrite(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &countingListener{Listener: inner}
	text := bytes.Repeat([]byte("data: 0123456789\n\n"), 700)
	var each []int64
	e := New(Options{WriteTimeout: time.Minute, Strangers: -1, StrangersPerAddress: -1})
	s := e.Server(e.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, p := range [][]byte{nil, text[:10], text[10:]} {
			before := l.writes.Load()
			if err := Push(w, p); err != nil {
				t.Error(err)
			}
			each = append(each, l.writes.Load()-before)
		}
	})))
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	resp, err := http.Get("http://" + inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if err != nil || !bytes.Equal(got, text) {
		t.Errorf("%d bytes came of %d, %v", len(got), len(text), err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-served
	for i, n := range each {
		if n != 1 {
			t.Errorf("push %d took %d writes", i, n)
		}
	}
}

// A refusal that is answered before its request has come whole is not lost to the reset of
// a connection that is closed with something unread.
func TestARefusalIsNotLost(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &countingListener{Listener: inner}
	e := New(Options{WriteTimeout: time.Minute, Strangers: -1, StrangersPerAddress: -1})
	s := e.Server(e.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) })))
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	// A machine that does much else may take longer than net/http then waits.
	if resp, err := http.Post("http://"+inner.Addr().String(), "text/plain", bytes.NewReader(make([]byte, 4<<20))); err == nil {
		if resp.StatusCode != http.StatusForbidden {
			t.Error(resp.Status)
		}
		resp.Body.Close()
		http.DefaultClient.CloseIdleConnections()
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
	<-served
	if n := l.closed.Load(); n != 1 {
		t.Errorf("closed for writing alone %d times", n)
	}
}
