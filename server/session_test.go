package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/ws"
)

func TestHello(t *testing.T) {
	b := newFake()
	b.durable = true
	ts := newTestServer(t, b, nil)
	c := ts.connect("/agui/ws", nil)
	if got := c.ws.Subprotocol(); got != ws.Subprotocol {
		t.Errorf("selected %q", got)
	}
	c.wants(`{"type":"ws.hello","binding":"agui.v1","profiles":["resume","queue","interrupts","history","windows","payloads","threads","drain"],"heartbeatMs":25000,"maxFrameBytes":4194304,"durable":true,
		"capabilities":{"custom":{"aguiws":{"durable":true,"newMessages":true,"when":["step"],"unanswered":"refuse","onDisconnect":{"/agui":"stop","/copilotkit":"finish","graceMs":3000}}},"tools":{"supported":true},"transport":{"streaming":true,"websocket":true,"resumable":true}}}`)
}

func TestStartedRun(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("before"))
	c := newTestServer(t, b, nil).dial()
	c.send(`{"id":"7","threadId":"t","runId":"r","messages":[]}`)
	c.wants(
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"started","id":"7"}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1}`,
		runStarted("t", "r"))
	b.log(localThread, custom("a"), custom("b"), custom("c"), custom("d"), runFinished("t", "r"))
	c.wants(custom("a"), custom("b"), custom("c"), custom("d"), runFinished("t", "r"))

	// The next run needs no ws.stream: the client has gone on counting.
	c.send(input("t", "r2"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r2","disposition":"started"}`, runStarted("t", "r2"))
	c.send(`{"type":"ws.ping","id":"p"}`)
	c.wants(`{"type":"ws.pong","id":"p","positions":{"t":8}}`)
}

func TestEventBytesAreUntouched(t *testing.T) {
	b := newFake()
	c := newTestServer(t, b, nil).dial()
	c.follow("t")
	odd := "{ \"type\" : \"CUSTOM\",\"name\":\"<&>\\u00e9\", \"value\":1.0e3}"
	b.log(localThread, odd)
	c.expect("ws.stream")
	if got := string(c.read()); got != odd {
		t.Errorf("got %s, want %s", got, odd)
	}
}

func TestRefusedInput(t *testing.T) {
	b := newFake()
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
		a, err := refusedWith("interrupts_pending")(nil, admission.Input{})
		a.Position = store.Position{Epoch: "e1", Seq: 4}
		return a, err
	}
	c := newTestServer(t, b, nil).dial()
	c.send(`{"id":"x","threadId":"t","runId":"r","messages":[]}`)
	c.wants(
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused","id":"x"}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":4,"uncounted":1}`,
		`{"type":"RUN_ERROR","message":"no","code":"interrupts_pending"}`)

	// It did not attach.
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{}}`)
	if n := b.followers(); n != 0 {
		t.Errorf("%d followers are left", n)
	}
}

func TestRefusedInputOnAttachedThread(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("a"))
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	b.set(func() { b.submit = refusedWith("thread_busy") })
	c.send(input("t", "r"))
	c.wants(
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1,"uncounted":1}`,
		`{"type":"RUN_ERROR","message":"no","code":"thread_busy"}`)
	// The refusal moved no position and told where the stream stands.
	b.log(localThread, custom("b"))
	c.wants(custom("b"))
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{"t":2}}`)
}

// A thread that cannot be read is no trouble of the store's: asking again is of no use.
func TestThreadThatCannotBeRead(t *testing.T) {
	b := newFake()
	damaged := fmt.Errorf("%w: message 1", store.ErrCorrupted)
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
		return admission.Admitted{}, damaged
	}
	b.failing = damaged
	c := newTestServer(t, b, nil).dial()
	c.send(input("t", "r"))
	c.expect("ws.run")
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "state_corrupted" || f["metadata"] != nil {
		t.Errorf("got %v", f)
	}
	c.send(`{"type":"ws.attach","threadId":"t","id":"2"}`)
	if f := c.expect("ws.error"); f["code"] != "state_corrupted" || f["id"] != "2" {
		t.Errorf("got %v", f)
	}
}

func TestStoreTrouble(t *testing.T) {
	b := newFake()
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
		return admission.Admitted{}, errors.New("no answer")
	}
	b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
		return admission.Cancelled{}, errors.New("no answer")
	}
	c := newTestServer(t, b, nil).dial()
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`)
	c.expect("ws.stream")
	c.wants(`{"type":"RUN_ERROR","message":"the outcome is unknown; send the same input again","code":"store_unavailable",
		"metadata":{"aguiws":{"retryAfterMs":1000}}}`)

	c.send(`{"type":"ws.cancel","threadId":"t","runId":"r","id":"1"}`)
	if f := c.expect("ws.error"); f["code"] != "store_unavailable" || f["id"] != "1" || f["threadId"] != "t" {
		t.Errorf("got %v", f)
	}
	b.set(func() { b.failing = errors.New("no answer") })
	c.send(`{"type":"ws.attach","threadId":"t","id":"2"}`)
	if f := c.expect("ws.error"); f["code"] != "store_unavailable" || f["id"] != "2" {
		t.Errorf("got %v", f)
	}
	if n := b.followers(); n != 0 {
		t.Errorf("%d followers are left", n)
	}
}

// A store that fails while a thread is followed delays events and loses none.
func TestFollowingGoesOnAfterStoreTrouble(t *testing.T) {
	b := newFake()
	c := newTestServer(t, b, nil).dial()
	c.follow("t")
	b.set(func() { b.failing = errors.New("no answer") })
	b.log(localThread, custom("a"))
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{"t":0}}`)
	b.set(func() { b.failing = nil })
	c.expect("ws.stream")
	c.wants(custom("a"))
}

// Who follows nothing and has to wait is told what is under way before.
func TestQueuedInput(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r1"))
	b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
		return admission.Admitted{Disposition: admission.Queued, RunID: "s2"}, nil
	}
	c := newTestServer(t, b, nil).dial()
	c.send(input("t", "r2"))
	c.wants(introduction(1)...)
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r2","disposition":"queued"}`)
	b.log(localThread, runFinished("t", "r1"), runStarted("t", "r2"))
	c.wants(runFinished("t", "r1"), runStarted("t", "r2"))
	c.send(input("t", "r2")) // no second time
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r2","disposition":"queued"}`)
}

func TestCancel(t *testing.T) {
	b := newFake()
	b.cancel = func(key store.ThreadKey, label string) (admission.Cancelled, error) {
		return admission.Cancelled{Stopped: key == localThread && label == "r"}, nil
	}
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.cancel","threadId":"t","runId":"r","id":"1"}`, `{"type":"ws.cancel","threadId":"t","runId":"other"}`)
	c.wants(
		`{"type":"ws.cancelled","id":"1","threadId":"t","runId":"r","stopped":true}`,
		`{"type":"ws.cancelled","threadId":"t","runId":"other","stopped":false}`)
}

// Whoever sent a queued input is told of its end, whoever cancelled it; others
// are not, because the end would clear what they hold as pending.
func TestCancelWhileQueued(t *testing.T) {
	b := newQueueing()
	ts := newTestServer(t, b, nil)
	sender, other := ts.dial(), ts.dial()
	sender.send(input("t", "r"))
	sender.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"queued"}`)
	other.follow("t")
	other.send(`{"type":"ws.cancel","threadId":"t","runId":"r"}`)
	other.wants(`{"type":"ws.cancelled","threadId":"t","runId":"r","stopped":true}`)
	sender.wants(
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":0,"uncounted":2}`,
		runStarted("t", "r"), runFinished("t", "r"))
	other.send(`{"type":"ws.ping"}`)
	other.wants(`{"type":"ws.pong","positions":{"t":0}}`)
}

func TestFrameIsOfOneThread(t *testing.T) {
	b := newFake()
	one, two := store.ThreadKey{Namespace: "local", Thread: "one"}, store.ThreadKey{Namespace: "local", Thread: "two"}
	c := newTestServer(t, b, nil).dial()
	for _, id := range []string{"one", "two"} {
		c.follow(id)
	}
	for i := range 20 {
		key := one
		if i%3 == 0 {
			key = two
		}
		b.log(key, custom(key.Thread), custom(key.Thread))
	}
	// Counting as a client counts must arrive at every event's own position.
	seqs := map[string]float64{}
	current, n := "", 0
	for n < 40 {
		var frame map[string]any
		if err := json.Unmarshal(c.read(), &frame); err != nil {
			t.Fatal(err)
		}
		if frame["type"] == "ws.stream" {
			current = frame["threadId"].(string)
			if frame["seq"] != seqs[current] {
				t.Fatalf("%v, but %v events of it came", frame, seqs[current])
			}
			continue
		}
		if frame["name"] != current {
			t.Fatalf("an event of %v in the stream of %s", frame["name"], current)
		}
		seqs[current]++
		n++
	}
	if seqs["one"] != 26 || seqs["two"] != 14 {
		t.Errorf("got %v", seqs)
	}
}

func TestNamespacesAndAgents(t *testing.T) {
	b := newFake()
	seen := make(chan admission.Input, 1)
	b.submit = func(_ context.Context, in admission.Input) (admission.Admitted, error) {
		seen <- in
		return b.start(in), nil
	}
	ts := newTestServer(t, b, &Options{Agents: []string{"helper"}, Auth: byToken{"secret": {Namespace: "ns", User: "u"}}})
	c := ts.connect("/agui/helper/ws", bearer("secret", ws.Subprotocol))
	c.expect("ws.hello")
	c.send(`{"id":"7","threadId":"t","runId":"r","messages":[],"x":1}`)
	c.expect("ws.run")
	in := <-seen
	if in.Namespace != "ns" || in.Agent != "helper" || in.Run.RunID != "r" {
		t.Errorf("submitted %+v", in)
	}
	if _, there := in.Run.Extra["id"]; there {
		t.Error("the frame's id became part of the input")
	}
}

func TestScopes(t *testing.T) {
	b := newFake()
	ts := newTestServer(t, b, &Options{Auth: byToken{"reader": {User: "u", Scopes: []string{identity.ScopeRead}}, "nobody": {User: "v", Scopes: []string{}}}})
	dial := func(token string) *client {
		c := ts.connect("/agui/ws", bearer(token, ws.Subprotocol))
		c.expect("ws.hello")
		return c
	}
	c := dial("reader")
	c.follow("t")
	c.send(`{"type":"ws.cancel","threadId":"t","runId":"r"}`)
	if f := c.expect("ws.error"); f["code"] != "forbidden" {
		t.Errorf("got %v", f)
	}
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`)
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "forbidden" {
		t.Errorf("got %v", f)
	}
	c = dial("nobody")
	c.send(`{"type":"ws.attach","threadId":"t"}`)
	if f := c.expect("ws.error"); f["code"] != "forbidden" {
		t.Errorf("got %v", f)
	}
}

func TestInvalidInput(t *testing.T) {
	c := newTestServer(t, newFake(), nil).dial()
	c.send(`{"id":"9","threadId":"t","messages":[{"id":"m","role":"user"}],"resume":[{"interruptId":"i","status":"maybe"}]}`)
	f := c.expect("ws.error")
	message := f["message"].(string)
	if f["code"] != "invalid_input" || f["id"] != "9" || f["threadId"] != "t" ||
		!strings.Contains(message, "/messages/0") || !strings.Contains(message, "/resume/0/status") || !strings.Contains(message, "runId") {
		t.Errorf("got %v", f)
	}
}
