package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
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
			b.attached = func(a *follow.Attached) {
				a.ActiveLabel = "r"
				a.Interrupts = []json.RawMessage{json.RawMessage(`{"id":"i","reason":"<b>"}`)}
				a.Queued = []follow.QueuedInput{{Label: "q", Messages: json.RawMessage(`[]`)}}
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

func repeats(of string) admission.Admitted {
	return admission.Admitted{Disposition: admission.Repeat, RunID: "s-" + of, Of: of}
}

func TestRepeatActiveOnFollowedThread(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r"), custom("1"))
	b.submit = answering(repeats("r"))
	b.repeat = func(key store.ThreadKey, runID, label string) (follow.Repeated, error) {
		if key != localThread || runID != "s-r" || label != "r2" {
			t.Errorf("asked for %v %s %s", key, runID, label)
		}
		return follow.Repeated{Status: store.RunActive, Whole: true, Events: [][]byte{[]byte(runStarted("t", label))}}, nil
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
	b.log(localThread, runFinished("t", "r"))
	c.wants(runFinished("t", "r"))
}

// What a socket has still to be sent comes before the answer to a repeat, which
// is as of then, and not again behind it.
func TestRepeatBehindWhatWasMissed(t *testing.T) {
	for name, test := range map[string]struct {
		attach string
		asked  int      // how often until it is answered
		before []string // what comes before the answer
	}{
		"attached": {`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`, 1, []string{
			`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":1,"recovered":true,"interrupts":[],"queued":[]}`,
			`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1}`,
			custom("2"), custom("3"), custom("4"), custom("5"), runFinished("t", "r"),
			`{"type":"ws.live","threadId":"t","seq":6}`,
		}},
		"following nothing": {`{"type":"ws.ping"}`, 2, append([]string{`{"type":"ws.pong","positions":{}}`}, introduction(6)...)},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			b.log(localThread, runStarted("t", "r"), custom("2"), custom("3"), custom("4"), custom("5"), runFinished("t", "r"))
			b.submit = answering(repeats("r"))
			asked := 0
			b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
				if asked++; asked < test.asked {
					return follow.Repeated{Status: store.RunEnded}, nil
				}
				b.log(localThread, custom("7"), custom("8"))
				return follow.Repeated{Status: store.RunEnded, At: store.Position{Epoch: "e1", Seq: 7},
					Events: [][]byte{[]byte(runStarted("t", "r")), []byte(runFinished("t", "r"))}}, nil
			}
			c := newTestServer(t, b, nil).dial()
			c.send(test.attach, input("t", "r"))
			c.wants(test.before...)
			c.wants(
				custom("7"),
				`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"r"}`,
				`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":7,"uncounted":2}`,
				runStarted("t", "r"), runFinished("t", "r"), custom("8"))
		})
	}
}

func TestRepeatOnUnfollowedThread(t *testing.T) {
	for _, status := range []store.RunStatus{store.RunQueued, store.RunActive, store.RunEnded} {
		t.Run(string(status), func(t *testing.T) {
			b := newFake()
			b.log(localThread, custom("1"))
			b.submit = answering(repeats("r"))
			b.repeat = func(_ store.ThreadKey, _, label string) (follow.Repeated, error) {
				if status == store.RunQueued {
					return follow.Repeated{Status: status}, nil
				}
				b.log(localThread, custom("2")) // behind what is restated
				return follow.Repeated{Status: status, At: store.Position{Epoch: "e1", Seq: 1}, Whole: true,
					Events: [][]byte{[]byte(runStarted("t", label)), []byte(custom("so far"))}}, nil
			}
			c := newTestServer(t, b, nil).dial()
			c.send(input("t", "r"))
			if status == store.RunQueued {
				c.wants(introduction(1)...)
				c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"r"}`)
				b.log(localThread, custom("2"))
				c.wants(custom("2"))
				return
			}
			c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"r"}`,
				`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":1,"uncounted":2}`, runStarted("t", "r"), custom("so far"), custom("2"))
		})
	}
}

// introduction is what a socket is told that begins to follow thread t in the
// middle.
func introduction(seq int) []string {
	return []string{
		fmt.Sprintf(`{"type":"ws.attached","threadId":"t","epoch":"e1","seq":%d,"recovered":false,"reason":"no_position","interrupts":[],"queued":[]}`, seq),
		fmt.Sprintf(`{"type":"ws.stream","threadId":"t","epoch":"e1","seq":%d,"uncounted":2}`, seq),
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","metadata":{"aguiws":{"restated":true}}}`, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`,
		fmt.Sprintf(`{"type":"ws.live","threadId":"t","seq":%d}`, seq),
	}
}

// A repeat that has still to wait for its socket is answered when the thread is
// followed no more, and when it cannot be read.
func TestRepeatIsAnsweredInAnyCase(t *testing.T) {
	b := newFake()
	b.submit = answering(repeats("r"))
	b.log(localThread, custom("1"))
	b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
		// As of what the socket does not get to see.
		return follow.Repeated{Status: store.RunEnded, At: store.Position{Epoch: "e1", Seq: 2}, Events: [][]byte{[]byte(runFinished("t", "r"))}}, nil
	}
	c := newTestServer(t, b, nil).dial()
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	c.send(input("t", "r"), `{"type":"ws.detach","threadId":"t"}`)
	c.wants(
		`{"type":"ws.run","threadId":"t","runId":"r","disposition":"repeat","of":"r"}`,
		`{"type":"ws.detached","threadId":"t","reason":"requested"}`)
	c.send(`{"type":"ws.attach","threadId":"t","after":{"epoch":"e1","seq":1}}`)
	c.expect("ws.attached")
	c.expect("ws.live")
	c.send(input("t", "r"))
	b.set(func() { b.failing = errors.New("no answer") })
	b.log(localThread, custom("2"))
	c.wants(`{"type":"ws.run","threadId":"t","runId":"r","disposition":"refused"}`)
	c.expect("ws.stream")
	if f := c.expect("RUN_ERROR"); f["code"] != "store_unavailable" {
		t.Errorf("got %v", f)
	}
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
	b.set(func() { b.submit = answering(admission.Admitted{Disposition: admission.Queued, RunID: "s"}) })
	refused()
	b.set(func() {
		b.submit = answering(repeats("r"))
		b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
			return follow.Repeated{Status: store.RunQueued}, nil
		}
	})
	refused()
	b.set(func() {
		b.failing = nil
		b.repeat = func(store.ThreadKey, string, string) (follow.Repeated, error) {
			return follow.Repeated{}, errors.New("no answer")
		}
	})
	refused()
	c.send(`{"type":"ws.ping"}`)
	c.wants(`{"type":"ws.pong","positions":{}}`)
}
