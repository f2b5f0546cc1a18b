package server

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/internal/core"
	"github.com/aguiws/aguiws/server/internal/ws"
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
	if f := c.expect("ws.error"); f["code"] != "rate_limited" || f["id"] != "4" || !positive(f["retryAfterMs"]) {
		t.Errorf("got %v", f)
	}
	c.send(`{"type":"ws.detach","threadId":"t","id":"5"}`)
	c.wants(`{"type":"ws.detached","id":"5","threadId":"t","reason":"requested"}`)
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`)
	c.expect("ws.stream")
	f := c.expect("RUN_ERROR")
	if f["code"] != "rate_limited" {
		t.Errorf("got %v", f)
	}
	if !positive(detailsOf(f)["retryAfterMs"]) {
		t.Errorf("no hint when to retry: %v", f)
	}

	p := ts.connect("/agui/ws", plainMode)
	b.set(func() { b.submit = refusedWith("thread_busy") })
	for range 3 {
		p.send(input("t", "r"))
		if f := p.expect("RUN_ERROR"); f["code"] != "thread_busy" {
			t.Errorf("got %v", f)
		}
	}
	p.send(input("t", "r"))
	if f := p.expect("RUN_ERROR"); f["code"] != "rate_limited" || !positive(detailsOf(f)["retryAfterMs"]) {
		t.Errorf("got %v", f)
	}
}

func positive(v any) bool {
	n, ok := v.(float64)
	return ok && n > 0
}

// detailsOf is what a program needs of a RUN_ERROR beyond its code.
func detailsOf(event map[string]any) map[string]any {
	metadata, _ := event["metadata"].(map[string]any)
	details, _ := metadata["aguiws"].(map[string]any)
	return details
}

// Refusing a flood costs little: the reader slows down with it.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c, conn := bubble(t, newFake(), &Options{FrameBurst: 1, FramesPerSecond: 0.001}, ws.Subprotocol)
		c.expect("ws.hello")
		go discard(conn.Read)
		began := time.Now()
		for range 1000 {
			c.send(`{"type":"ws.nonsense"}`)
		}
		if took := time.Since(began); took < 9*time.Second {
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

// A socket that has too many inputs waiting may send no more, and none of those
// is forgotten before it has begun or its sender was told its end.
func TestWaitingIsBounded(t *testing.T) {
	b := newQueueing()
	ts := newTestServer(t, b, &Options{FrameBurst: 10 * core.MaxAwaited})
	c := ts.dial()
	queued := func(run string) {
		t.Helper()
		c.send(input("t", run))
		c.wants(fmt.Sprintf(`{"type":"ws.run","threadId":"t","runId":%q,"disposition":"queued"}`, run))
	}
	for i := range core.MaxAwaited {
		queued(fmt.Sprint(i))
	}
	queued("0") // is one of them
	c.send(input("t", "one more"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"one more","disposition":"refused"}`)
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "thread_busy" {
		t.Errorf("got %v", f)
	}
	for _, run := range []string{"0", "500"} {
		ts.core.Awaiting.Pay(localThread, run, [][]byte{[]byte(runStarted("t", run)), []byte(runFinished("t", run))})
		c.expect("ws.stream")
		c.wants(runStarted("t", run), runFinished("t", run))
	}
	b.log(localThread, runStarted("t", "1"), runFinished("t", "1"), runStarted("t", "2"))
	c.wants(runStarted("t", "1"), runFinished("t", "1"), runStarted("t", "2"))
	for i := range 4 {
		queued(fmt.Sprint("more ", i))
	}
	remembered := func(n int) {
		t.Helper()
		eventually(t, fmt.Sprintf("%d are remembered", n), func() bool {
			return ts.core.Awaiting.Inputs() == n
		})
	}
	remembered(core.MaxAwaited)
	b.set(func() { b.submit = refusedWith("thread_busy") })
	c.send(`{"type":"ws.detach","threadId":"t"}`, input("t", "r"))
	c.expect("ws.detached")
	remembered(0)
}

// What is cancelled before its sender has heard that it waits is not missed.
func TestCancelledWhileItIsJudged(t *testing.T) {
	b := newQueueing()
	var ts *testServer
	cancelled := [][]byte{[]byte(runStarted("t", "r")), []byte(runFinished("t", "r"))}
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
		ts.core.Awaiting.Pay(localThread, "r", cancelled)
		return admission.Admitted{Disposition: admission.Queued, RunID: "s"}, nil
	}
	ts = newTestServer(t, b, nil)
	c := ts.dial()
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"queued"}`)
	c.expect("ws.stream")
	c.wants(runStarted("t", "r"), runFinished("t", "r"))
	plain := ts.connect("/agui/ws", plainMode)
	plain.send(input("t", "r"))
	plain.wants(runStarted("t", "r"), runFinished("t", "r"))

	// The same for who sends it again.
	b.set(func() {
		b.submit = answering(admission.Admitted{Disposition: admission.Repeat, RunID: "s", Of: "r"})
		b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
			ts.core.Awaiting.Pay(localThread, "r", cancelled)
			return follow.Repeated{Status: store.RunQueued}, nil
		}
	})
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"r"}`)
	c.expect("ws.stream")
	c.wants(runStarted("t", "r"), runFinished("t", "r"))
	plain.send(input("t", "r"))
	plain.wants(runStarted("t", "r"), runFinished("t", "r"))

	// What comes of another run of that name is not the end of one that runs.
	b.set(func() {
		b.submit = func(_ context.Context, in admission.Input) (admission.Admitted, error) {
			ts.core.Awaiting.Pay(localThread, "r", cancelled)
			return b.start(in), nil
		}
	})
	plain.send(input("t", "r"))
	plain.wants(runStarted("t", "r"))
	b.log(localThread, custom("goes on"))
	plain.wants(custom("goes on"))
}

// A client that goes away while its input is judged leaves nothing half done.
func TestSubmitOutlivesTheSocket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newFake()
		judging, result := make(chan struct{}), make(chan error, 1)
		goOn := make(chan struct{})
		b.submit = func(ctx context.Context, in admission.Input) (admission.Admitted, error) {
			close(judging)
			<-goOn
			result <- ctx.Err()
			return b.start(in), nil
		}
		_, c, _ := bubble(t, b, nil, ws.Subprotocol)
		c.expect("ws.hello")
		c.send(input("t", "r"))
		<-judging
		c.ws.CloseNow()
		synctest.Wait() // until the server has noticed
		close(goOn)
		if err := <-result; err != nil {
			t.Errorf("the call was given up: %v", err)
		}
		synctest.Wait()
		if n := b.followers(); n != 0 {
			t.Errorf("%d threads are followed", n)
		}
	})
}
