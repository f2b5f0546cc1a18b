package server

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	agui "github.com/aguiws/aguiws/client"
)

// A stream outlives the ReadTimeout and the WriteTimeout of the http.Server that Handler is
// given to, and a silence that is longer than the time in which what is written must be taken.
func TestStreamInAnotherServer(t *testing.T) {
	for name, unencrypted2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newFake()
				s, _, end := piped(t, b, &Options{KeepAlive: time.Hour})
				defer end()
				var protocols http.Protocols
				protocols.SetHTTP1(!unencrypted2)
				protocols.SetUnencryptedHTTP2(unencrypted2)
				own := &http.Server{Handler: s.Handler(), Protocols: &protocols, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second}
				p := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
				served := make(chan error, 1)
				go func() { served <- own.Serve(p) }()
				transport := &http.Transport{Protocols: &protocols, DialContext: func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					p.conns <- far
					return near, nil
				}}
				defer func() {
					transport.CloseIdleConnections()
					own.Close()
					<-served
				}()
				answer, err := (&http.Client{Transport: transport}).Get("http://localhost/agui/threads/t/events?follow=1")
				if err != nil {
					t.Fatal(err)
				}
				defer answer.Body.Close()
				for _, word := range []string{"first", "second"} {
					time.Sleep(time.Minute)
					b.log(localThread, custom(word))
					for lines := bufio.NewReader(answer.Body); ; {
						line, err := lines.ReadString('\n')
						if err != nil {
							t.Fatalf("the stream ends before the %s event: %v", word, err)
						}
						if strings.Contains(line, word) {
							break
						}
					}
				}
			})
		})
	}
}

// A socket whose connection cannot be taken over is refused in words.
func TestMiddlewareThatHidesTheConnection(t *testing.T) {
	ts := newTestServer(t, newFake(), nil)
	hiding := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ts.Handler().ServeHTTP(struct{ http.ResponseWriter }{w}, r)
	}))
	defer hiding.Close()
	_, err := agui.Dial(t.Context(), hiding.URL+"/agui/ws", nil)
	var refused *agui.RefusedError
	if !errors.As(err, &refused) || refused.Status != http.StatusNotImplemented {
		t.Errorf("%v, want 501", err)
	}
}
