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

// counting counts what a connection is written.
type counting struct {
	*net.TCPConn
	writes *atomic.Int64
}

func (c counting) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.TCPConn.Write(p)
}

type countingListener struct {
	net.Listener
	writes atomic.Int64
}

func (l *countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &gatherer{network: counting{c.(*net.TCPConn), &l.writes}}, nil
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
