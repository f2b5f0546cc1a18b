package server

import (
	"context"
	"errors"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/identity"
	"github.com/aguiws/aguiws/server/internal/core"
)

func plainClient(t *testing.T, b core.Backend) *client {
	t.Helper()
	return newTestServer(t, b, nil).connect("/agui/ws", plainMode)
}

// A plain client sees the events of its run and nothing else, no control
// frames, no other run's events; then the socket takes the next input.
func TestPlainRun(t *testing.T) {
	b := newFake()
	b.log(localThread, custom("before"))
	c := plainClient(t, b)
	c.send(`{"id":"ignored","threadId":"t","runId":"r","messages":[]}`)
	c.wants(runStarted("t", "r"))
	c.send(input("t", "r2")) // waits
	b.log(localThread, custom("1"), custom("2"), custom("3"), runFinished("t", "r"), custom("not mine"))
	c.wants(custom("1"), custom("2"), custom("3"), runFinished("t", "r"))
	c.wants(runStarted("t", "r2"))
	b.log(localThread, `{"type":"RUN_ERROR","message":"x","code":"agent_error"}`)
	c.wants(`{"type":"RUN_ERROR","message":"x","code":"agent_error"}`)
	eventually(t, "nothing is followed", func() bool { return b.followers() == 0 })
	c.send(input("t", "r3"))
	c.wants(runStarted("t", "r3"))
}

func TestPlainRefusals(t *testing.T) {
	b := newFake()
	c := plainClient(t, b)
	for frame, code := range map[string]string{
		`{"type":"ws.ping"}`:                  "invalid_input",
		`{"type":"ws.nonsense"}`:              "invalid_frame",
		`{"type":"RUN_STARTED"}`:              "invalid_frame",
		`{"threadId":"t"}`:                    "invalid_input",
		`{"threadId":"t","messages":7}`:       "invalid_input",
		`{"id":7,"threadId":"t","runId":"r"}`: "invalid_frame",
	} {
		c.send(frame)
		if f := c.expect("RUN_ERROR"); f["code"] != code {
			t.Errorf("%s: %v", frame, f)
		}
	}
	b.set(func() { b.submit = refusedWith("interrupts_pending") })
	c.send(input("t", "r"))
	c.wants(`{"type":"RUN_ERROR","message":"no","code":"interrupts_pending"}`)
	b.set(func() {
		b.submit = func(context.Context, admission.Input) (admission.Admitted, error) {
			return admission.Admitted{}, errors.New("no answer")
		}
	})
	c.send(input("t", "r"))
	if f := c.expect("RUN_ERROR"); f["code"] != "store_unavailable" {
		t.Errorf("got %v", f)
	}
	b.set(func() { b.submit = nil })
	c.send(input("t", "r"))
	c.wants(runStarted("t", "r"))
}

func TestPlainScope(t *testing.T) {
	ts := newTestServer(t, newFake(), &Options{Auth: byToken{"reader": {Scopes: []string{identity.ScopeRead}}}})
	c := ts.connect("/agui/ws", bearer("reader"))
	c.send(input("t", "r"))
	if f := c.expect("RUN_ERROR"); f["code"] != "forbidden" {
		t.Errorf("got %v", f)
	}
}

// A queued run begins with its own RUN_STARTED: what the thread says before,
// and another run under the same label, are not its own.
func TestPlainQueued(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "other"))
	b.submit = answering(admission.Admitted{Disposition: admission.Queued, RunID: "s"})
	status := store.RunQueued
	b.repeat = func(_ store.ThreadKey, runID, _ string) (follow.Repeated, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if runID != "s" {
			t.Errorf("asked about %q", runID)
		}
		return follow.Repeated{Status: status}, nil
	}
	c := plainClient(t, b)
	c.send(input("t", "r"))
	eventually(t, "it follows", func() bool { return b.followers() == 1 })
	b.log(localThread, custom("x"), runFinished("t", "other"), runStarted("t", "r"), custom("a namesake's"), runFinished("t", "r"))
	eventually(t, "it has read that", func() bool { return b.seen() == 6 })
	b.set(func() { status = store.RunActive })
	b.log(localThread, runStarted("t", "r"), custom("mine"), runFinished("t", "r"))
	c.wants(runStarted("t", "r"), custom("mine"), runFinished("t", "r"))
}

// A queued run that is cancelled ends for its sender at once.
func TestPlainQueuedCancelled(t *testing.T) {
	b := newQueueing()
	ts := newTestServer(t, b, nil)
	c, other := ts.connect("/agui/ws", plainMode), ts.dial()
	c.send(input("t", "r"))
	ts.awaitSender()
	other.send(`{"type":"ws.cancel","threadId":"t","runId":"r"}`)
	c.wants(runStarted("t", "r"), runFinished("t", "r"))
	b.set(func() { b.submit = nil })
	c.send(input("t", "next"))
	c.wants(runStarted("t", "next"))
}

// A repeat is the run restated under the requested runId, and goes on live
// under it.
func TestPlainRepeat(t *testing.T) {
	for _, status := range []store.RunStatus{store.RunActive, store.RunEnded} {
		t.Run(string(status), func(t *testing.T) {
			b := newFake()
			b.log(localThread, runStarted("t", "r"))
			b.submit = answering(repeats("r"))
			b.repeat = restatedAs(status)
			c := plainClient(t, b)
			c.send(input("t", "again"))
			c.wants(runStarted("t", "again"))
			if status == store.RunActive {
				b.log(localThread, custom("1"), runFinished("t", "r"))
				c.wants(custom("1"))
			}
			c.wants(runFinished("t", "again"))
		})
	}
}

// restatedAs answers repeats by a run of this status.
func restatedAs(status store.RunStatus) func(store.ThreadKey, string, string) (follow.Repeated, error) {
	return func(_ store.ThreadKey, _, label string) (follow.Repeated, error) {
		rep := follow.Repeated{Status: status, Events: [][]byte{[]byte(runStarted("t", label))}}
		if status == store.RunEnded {
			rep.Events = append(rep.Events, []byte(runFinished("t", label)))
		}
		return rep, nil
	}
}

// A stream that cannot go on in order ends with an error that says what to do.
func TestPlainRestated(t *testing.T) {
	b := newFake()
	c := plainClient(t, b)
	c.send(input("t", "r"))
	c.wants(runStarted("t", "r"))
	b.change(localThread, func(th *fakeThread) { th.epoch = "e2" })
	if f := c.expect("RUN_ERROR"); f["code"] != "store_unavailable" {
		t.Errorf("got %v", f)
	}
}

func TestPlainStoreTroubleDelays(t *testing.T) {
	b := newFake()
	c := plainClient(t, b)
	c.send(input("t", "r"))
	c.wants(runStarted("t", "r"))
	b.set(func() { b.failing = errors.New("no answer") })
	b.log(localThread, custom("1"), runFinished("t", "r"))
	eventually(t, "it was tried", func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.failures > 1
	})
	b.set(func() { b.failing = nil })
	c.wants(custom("1"), runFinished("t", "r"))
}
