package server

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

func TestRateLimit(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{FramesPerSecond: 0.001, FrameBurst: 3})
	c := ts.dial()
	for range 3 {
		c.send(`{"type":"ws.ping"}`)
		c.expect("ws.pong")
	}
	c.send(`{"type":"ws.ping","id":"4"}`)
	if f := c.expect("ws.error"); f["code"] != "rate_limited" || f["id"] != "4" {
		t.Errorf("got %v", f)
	}
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`)
	c.expect("ws.stream")
	f := c.expect("RUN_ERROR")
	if f["code"] != "rate_limited" {
		t.Errorf("got %v", f)
	}
	details, _ := f["metadata"].(map[string]any)["aguiws"].(map[string]any)
	if ms, ok := details["retryAfterMs"].(float64); !ok || ms <= 0 {
		t.Errorf("no hint when to retry: %v", f)
	}

	p := ts.connect("/agui/ws", nil)
	b.set(func() { b.submit = refusedWith("thread_busy") })
	for range 3 {
		p.send(input("t", "r"))
		if f := p.expect("RUN_ERROR"); f["code"] != "thread_busy" {
			t.Errorf("got %v", f)
		}
	}
	p.send(input("t", "r"))
	if f := p.expect("RUN_ERROR"); f["code"] != "rate_limited" {
		t.Errorf("got %v", f)
	}
}

// Refusing a flood costs little: the reader slows down with it.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, conn := bubble(t, newFake(), &Options{FrameBurst: 1, FramesPerSecond: 0.001}, Subprotocol)
		c.expect("ws.hello")
		go discard(conn.Read)
		began := time.Now()
		for range 1000 {
			c.send(`{"type":"ws.nonsense"}`)
		}
		if took := time.Since(began); took < 900*penalty {
			t.Errorf("a thousand frames were taken in within %v", took)
		}
		conn.Close()
		synctest.Wait()
	})
}

func TestThreadLimit(t *testing.T) {
	b := newFake()
	c := newTestServer(t, b, nil).dial()
	for i := range 16 {
		c.follow(fmt.Sprint("t", i))
	}
	c.send(`{"type":"ws.attach","threadId":"one more","id":"1"}`)
	if f := c.expect("ws.error"); f["code"] != "too_many_threads" || f["id"] != "1" || f["threadId"] != "one more" {
		t.Errorf("got %v", f)
	}
	c.send(input("one more", "r"))
	c.wants(`{"type":"ws.run","threadId":"one more","runId":"r","disposition":"refused"}`)
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "too_many_threads" {
		t.Errorf("got %v", f)
	}
	c.follow("t3") // a followed one is no further one
	c.send(`{"type":"ws.detach","threadId":"t0"}`, `{"type":"ws.attach","threadId":"one more"}`)
	c.expect("ws.detached")
	c.expect("ws.attached")
}

// A socket is remembered for a bounded number of queued inputs.
func TestWaitingIsBounded(t *testing.T) {
	b := newFake()
	b.submit = answering(adapter.Admitted{Disposition: adapter.Queued, RunID: "s"})
	ts := newTestServer(t, b, &Options{FrameBurst: 1000})
	c := ts.dial()
	for i := range maxAwaited + 10 {
		c.send(input("t", fmt.Sprint(i)))
		c.expect("ws.run")
	}
	ts.waiting.mu.Lock()
	senders, of := len(ts.waiting.senders), len(ts.waiting.of)
	ts.waiting.mu.Unlock()
	if senders != maxAwaited || of != 1 {
		t.Errorf("%d inputs of %d sockets are remembered", senders, of)
	}
	c.ws.CloseNow()
	eventually(t, "the socket is forgotten", func() bool {
		ts.waiting.mu.Lock()
		defer ts.waiting.mu.Unlock()
		return len(ts.waiting.senders) == 0 && len(ts.waiting.of) == 0
	})
}

// A client that goes away while its input is judged leaves nothing half done.
func TestSubmitOutlivesTheSocket(t *testing.T) {
	b := newFake()
	judging, result := make(chan struct{}), make(chan error, 1)
	goOn := make(chan struct{})
	b.submit = func(ctx context.Context, in adapter.Input) (adapter.Admitted, error) {
		close(judging)
		<-goOn
		result <- ctx.Err()
		return b.start(in), nil
	}
	ts := newTestServer(t, b, nil)
	c := ts.dial()
	c.send(input("t", "r"))
	<-judging
	c.ws.CloseNow()
	eventually(t, "the server has noticed", func() bool {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		for sock := range ts.sockets {
			return sock.(*socket).ctx.Err() != nil
		}
		return false
	})
	close(goOn)
	if err := <-result; err != nil {
		t.Errorf("the call was given up: %v", err)
	}
	eventually(t, "nothing is followed", func() bool { return b.followers() == 0 })
}
