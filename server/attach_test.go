package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

func TestAttachUnusedThread(t *testing.T) {
	c := newTestServer(t, newFake(), nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","id":"1","unknown":{}}`)
	c.wants(
		`{"type":"ws.attached","id":"1","threadId":"t","epoch":"e1","seq":0,"recovered":false,"reason":"no_position","interrupts":[],"queued":[]}`,
		`{"type":"ws.live","threadId":"t","seq":0}`)
}

func TestAttachRecovered(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("1"), custom("2"), custom("3"), custom("4"), custom("5"), custom("6"))
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.wants(
		`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":1,"recovered":true,"interrupts":[],"queued":[]}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1}`,
		custom("2"), custom("3"), custom("4"), custom("5"), custom("6"),
		`{"type":"ws.live","threadId":"t","seq":6}`)
	b.log(localThread, custom("7"))
	c.wants(custom("7"))
}

func TestAttachWithNothingMissed(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("1"))
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.wants(
		`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":1,"recovered":true,"interrupts":[],"queued":[]}`,
		`{"type":"ws.live","threadId":"t","seq":1}`)
}

func TestAttachRestated(t *testing.T) {
	for reason, after := range map[string]string{
		"no_position":   ``,
		"epoch_changed": `,"after":{"epoch":"other","seq":3}`,
		"ahead":         `,"after":{"epoch":"e1","seq":9}`,
		"trimmed":       `,"after":{"epoch":"e1","seq":0}`,
	} {
		t.Run(reason, func(t *testing.T) {
			b := newFake()
			b.log(localThread, custom("1"), custom("2"))
			b.change(localThread, func(th *fakeThread) { th.log, th.base = th.log[1:], 1 })
			b.attached = func(a *adapter.Attached) {
				a.ActiveRunID = "r"
				a.Interrupts = []json.RawMessage{json.RawMessage(`{"id":"i","reason":"<b>"}`)}
				a.Queued = []adapter.QueuedInput{{RunID: "q", Messages: json.RawMessage(`[]`)}}
			}
			c := newTestServer(t, b, nil).dial()
			c.send(`{"type":"ws.attach","threadId":"t"` + after + `}`)
			c.wants(
				fmt.Sprintf(`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":2,"recovered":false,"reason":%q,"activeRunId":"r",
					"interrupts":[{"id":"i","reason":"<b>"}],"queued":[{"runId":"q","messages":[]}]}`, reason),
				`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":2,"uncounted":2}`,
				`{"type":"RUN_STARTED","threadId":"t","runId":"r","metadata":{"aguiws":{"restated":true}}}`,
				`{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
				`{"type":"ws.live","threadId":"t","seq":2}`)
			b.log(localThread, custom("3"))
			c.wants(custom("3"))
		})
	}
}

// Attaching again replaces the delivery: the position is the asked one, and
// the next event is announced anew.
func TestAttachAgain(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("1"), custom("2"))
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":2}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	b.log(localThread, custom("3"))
	c.expect("ws.stream")
	c.wants(custom("3"))
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.wants(
		`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":1,"recovered":true,"interrupts":[],"queued":[]}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1}`,
		custom("2"), custom("3"),
		`{"type":"ws.live","threadId":"t","seq":3}`)
	if n := b.followers(); n != 1 {
		t.Errorf("%d followers", n)
	}
}

// A thread that is deleted is followed no more. The socket goes on, and so may
// the thread's id.
func TestDetachedFromADeletedThread(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("1"))
	ts := newTestServer(t, b, nil)
	c := ts.dial()
	c.follow("other")
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	b.change(localThread, func(th *fakeThread) { th.epoch, th.log, th.deleted = "e2", nil, true })
	c.wants(`{"type":"ws.detached","threadId":"t","reason":"deleted"}`)
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{"other":0}}`)
	if n := b.followers(); n != 1 {
		t.Errorf("%d followers", n)
	}
	c.send(input("t", "r"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"started"}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e2","seq":0}`, runStarted("t", "r"))
}

// A follower that cannot go on is restated without having asked.
func TestUnsolicitedRestatement(t *testing.T) {
	b := newFake()
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","id":"1"}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	b.change(localThread, func(th *fakeThread) {
		th.epoch, th.base, th.log = "e2", 4, [][]byte{[]byte(custom("5"))}
	})
	c.wants(
		`{"type":"ws.attached","threadId":"t","epoch":"e2","seq":5,"recovered":false,"reason":"epoch_changed","interrupts":[],"queued":[]}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e2","seq":5,"uncounted":2}`)
	c.expect("RUN_STARTED")
	c.expect("MESSAGES_SNAPSHOT")
	c.wants(`{"type":"ws.live","threadId":"t","seq":5}`)
	b.log(localThread, custom("6"))
	c.wants(custom("6"))
}

func TestDetach(t *testing.T) {
	b := newFake()
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t"}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	c.send(`{"type":"ws.detach","threadId":"t","id":"1"}`, `{"type":"ws.detach","threadId":"never"}`)
	c.wants(
		`{"type":"ws.detached","id":"1","threadId":"t","reason":"requested"}`,
		`{"type":"ws.detached","threadId":"never","reason":"requested"}`)
	b.log(localThread, custom("1"))
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{}}`)
	if n := b.followers(); n != 0 {
		t.Errorf("%d followers are left", n)
	}
}

func repeats(of string) adapter.Admitted {
	return adapter.Admitted{Disposition: adapter.Repeat, RunID: "s-" + of, Of: of}
}

func TestRepeatActiveOnFollowedThread(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r"), custom("1"))
	asked := make(chan adapter.Position, 1)
	b.submit = answering(repeats("r"))
	b.repeat = func(key adapter.ThreadKey, runID, label string, at *adapter.Position) (adapter.Repeated, error) {
		if key != localThread || runID != "s-r" || label != "r2" {
			t.Errorf("asked for %v %s %s", key, runID, label)
		}
		asked <- *at
		return adapter.Repeated{Status: adapter.RunActive, Events: [][]byte{[]byte(runStarted("t", label))}}, nil
	}
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":2}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	c.send(input("t", "r2"))
	c.wants(
		`{"type":"ws.run","threadId":"t","runId":"r2","disposition":"repeat","of":"r"}`,
		`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":2,"uncounted":1}`,
		runStarted("t", "r2"))
	if at := <-asked; at != (adapter.Position{Epoch: "e1", Seq: 2}) {
		t.Errorf("restated as of %v", at)
	}
	b.log(localThread, runFinished("t", "r"))
	c.wants(runFinished("t", "r"))
}

func TestRepeatOnUnfollowedThread(t *testing.T) {
	for _, status := range []adapter.RunStatus{adapter.RunQueued, adapter.RunActive, adapter.RunEnded} {
		t.Run(string(status), func(t *testing.T) {
			b := newFake()
			b.log(localThread, custom("1"))
			b.submit = answering(repeats("r"))
			b.repeat = func(_ adapter.ThreadKey, _, label string, at *adapter.Position) (adapter.Repeated, error) {
				if *at != (adapter.Position{Epoch: "e1", Seq: 1}) {
					t.Errorf("restated as of %v", *at)
				}
				rep := adapter.Repeated{Status: status}
				if status != adapter.RunQueued {
					rep.Events = [][]byte{[]byte(runStarted("t", label)), []byte(custom("so far"))}
				}
				return rep, nil
			}
			c := newTestServer(t, b, nil).dial()
			c.send(input("t", "r"))
			c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"r"}`)
			if status == adapter.RunQueued {
				b.log(localThread, custom("2"))
				c.wants(`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1}`, custom("2"))
				return
			}
			c.wants(`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1,"uncounted":2}`, runStarted("t", "r"), custom("so far"))
			b.log(localThread, custom("2"))
			c.wants(custom("2"))
		})
	}
}

// A run that ends between attaching and restating is restated whole; its last
// events do not come a second time as live ones.
func TestRepeatOfRunThatEndsMeanwhile(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r"))
	b.submit = answering(repeats("r"))
	b.attached = func(a *adapter.Attached) {
		if a.Position.Seq == 1 {
			a.ActiveRunID = "r"
		}
	}
	b.repeat = func(adapter.ThreadKey, string, string, *adapter.Position) (adapter.Repeated, error) {
		b.log(localThread, runFinished("t", "r"))
		return adapter.Repeated{Status: adapter.RunEnded, Events: [][]byte{[]byte(runStarted("t", "r")), []byte(runFinished("t", "r"))}}, nil
	}
	c := newTestServer(t, b, nil).dial()
	c.send(input("t", "r"))
	c.expect("ws.run")
	c.wants(`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":2,"uncounted":2}`, runStarted("t", "r"), runFinished("t", "r"))
	b.log(localThread, custom("next"))
	c.wants(custom("next"))
}

// An input that was accepted, on a thread that cannot be read then, is told to
// be sent again: it is a repeat by then.
func TestRepeatOrQueuedWithoutStore(t *testing.T) {
	b := newFake()
	c := newTestServer(t, b, nil).dial()
	refused := func() {
		t.Helper()
		c.send(input("t", "r"))
		c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`)
		c.expect("ws.stream")
		if f := c.expect("RUN_ERROR"); f["code"] != "store_unavailable" {
			t.Errorf("got %v", f)
		}
		if n := b.followers(); n != 0 {
			t.Errorf("%d followers are left", n)
		}
	}
	b.set(func() { b.failing = errors.New("no answer") })
	b.set(func() { b.submit = answering(adapter.Admitted{Disposition: adapter.Queued, RunID: "s"}) })
	refused()
	b.set(func() { b.submit = answering(repeats("r")) })
	refused()
	b.set(func() {
		b.failing = nil
		b.repeat = func(adapter.ThreadKey, string, string, *adapter.Position) (adapter.Repeated, error) {
			return adapter.Repeated{}, errors.New("no answer")
		}
	})
	refused()
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{}}`)
}
