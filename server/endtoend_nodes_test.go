package server

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/aguiws/aguiws/adapter/script"
	"github.com/aguiws/aguiws/protocol"
	"github.com/aguiws/aguiws/redisstore"
	"github.com/aguiws/aguiws/redisstore/redistest"
)

// twoNodes are two servers on one Redis.
func twoNodes(t *testing.T) (a, b *testServer, effects string) {
	t.Helper()
	redis := redistest.Start(t, redistest.Options{})
	effects = filepath.Join(t.TempDir(), "effects")
	open := func() *testServer {
		store, err := redisstore.Open(context.Background(), redis.URL(), &redisstore.Options{Timeout: patience})
		if err != nil {
			t.Fatal(err)
		}
		closes(t, store)
		return node(t, store, script.New(script.Options{Effects: effects}))
	}
	return open(), open(), effects
}

// The answer may go to either server, and events reach both.
func TestTwoNodes(t *testing.T) {
	a, b, effects := twoNodes(t)
	near, far := newTab(a.dial()), newTab(b.dial())
	far.follow("t")

	id := interrupts(t, near.ask("r1", `/tool mail {"to":"ann"}`))[0]
	if got := interrupts(t, far.until()); len(got) != 1 || got[0] != id {
		t.Fatalf("the other node shows %v", got)
	}
	far.send(resumes("r2", resolved(id, `{"approved":true}`)))
	wantSuccess(t, far.until())
	wantSuccess(t, near.until())
	same(t, near, far)
	if n := len(effectLines(t, effects)); n != 1 {
		t.Errorf("executed %d times", n)
	}

	// The same answer to the first server is known there.
	near.send(resumes("r2", resolved(id, `{"approved":true}`)))
	wantSuccess(t, near.until())
	if runs := near.take("ws.run"); runs[len(runs)-1]["disposition"] != "repeat" {
		t.Errorf("got %v", runs)
	}
	if n := len(effectLines(t, effects)); n != 1 {
		t.Errorf("executed %d times", n)
	}
	near.checkPosition()
	far.checkPosition()
}

// A client whose server goes away in mid-run goes on at another, from where it
// was; a run that is carried elsewhere is cancelled from anywhere.
func TestTwoNodesMove(t *testing.T) {
	a, b, _ := twoNodes(t)
	tb := newTab(a.dial())
	tb.send(says("r1", "/slow 10000 10"))
	tb.begun()
	tb.ws.CloseNow()
	tb.client = b.dial()
	tb.send(fmt.Sprintf(`{"type":"ws.attach","threadId":"t","after":{"epoch":%q,"seq":%d}}`, tb.epoch, tb.seq))
	tb.begun()
	if f := tb.take("ws.attached"); len(f) != 1 || f[0]["recovered"] != true {
		t.Fatalf("got %v", f)
	}
	tb.send(`{"type":"ws.cancel","threadId":"t","runId":"r1"}`)
	end := tb.until().(*protocol.RunFinished)
	if end.Outcome == nil || end.Outcome.Type != protocol.OutcomeCancelled {
		t.Errorf("it ended with %s", encoded(t, end))
	}
	if len(tb.take("ws.cancelled")) == 0 {
		tb.expect("ws.cancelled")
	}
	tb.checkPosition()
}

// A drained server's run is taken over by another one; whoever followed it
// attaches there and sees one well-formed run to its end.
func TestTwoNodesDrain(t *testing.T) {
	t.Parallel() // a run ends by the clock
	a, b, _ := twoNodes(t)
	tb := newTab(a.dial())
	tb.send(says("r1", "/slow 100 20"))
	tb.begun()
	drained := make(chan error, 1)
	a.down = true
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		drained <- a.Shutdown(ctx)
	}()
	for {
		f, err := tb.try()
		if err != nil {
			if code := websocket.CloseStatus(err); code != websocket.StatusServiceRestart && code != -1 {
				t.Fatalf("closed with %d", code)
			}
			break
		}
		tb.apply(f)
	}
	<-drained // with an error: the run was not finished in time

	tb.client = b.dial()
	tb.send(fmt.Sprintf(`{"type":"ws.attach","threadId":"t","after":{"epoch":%q,"seq":%d}}`, tb.epoch, tb.seq))
	wantSuccess(t, tb.until())
	if f := tb.take("ws.attached"); len(f) == 0 || f[0]["recovered"] != true {
		t.Errorf("got %v", f)
	}
	if got := tb.said(); got != counted(100) {
		t.Errorf("it said %q", got)
	}
	tb.checkPosition()
}
