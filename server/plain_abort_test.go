package server

import (
	"errors"
	"testing"

	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/server/metrics"
)

const abort = `{"type":"abort","runId":"r"}`

// stoppable makes cancelling a run log its end, and counts.
func stoppable(b *fake, failures int) (cancelled chan string) {
	cancelled = make(chan string, 10)
	b.cancel = func(key store.ThreadKey, label string) (admission.Cancelled, error) {
		cancelled <- label
		if failures > 0 {
			failures--
			return admission.Cancelled{}, errors.New("no answer")
		}
		b.log(key, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`)
		return admission.Cancelled{Stopped: true}, nil
	}
	return cancelled
}

// A run is stopped while it streams, whatever waits behind it, and nothing more is told
// of it.
func TestPlainAbort(t *testing.T) {
	for name, failures := range map[string]int{"at once": 0, "when the store answers": 2} {
		t.Run(name, func(t *testing.T) {
			b := newFake()
			cancelled := stoppable(b, failures)
			c := plainClient(t, b)
			c.send(input("t", "r"))
			c.wants(runStarted("t", "r"))
			c.send(input("t", "next"))
			c.send(abort)
			c.send(abort)
			c.wants(runStarted("t", "next"))
			if got := <-cancelled; got != "r" || len(cancelled) != failures {
				t.Errorf("%q was cancelled, and %d more", got, len(cancelled))
			}
		})
	}
}

// So is one whose turn has not come.
func TestPlainAbortBeforeItsTurn(t *testing.T) {
	b := newFake()
	cancelled := stoppable(b, 0)
	m := metrics.New()
	ts := newTestServer(t, b, &Options{Metrics: m})
	c := ts.connect("/agui/ws", plainMode)
	c.send(input("t", "first"))
	c.wants(runStarted("t", "first"))
	c.send(input("t", "r"))
	c.send(abort)
	c.send(input("t", "next"))
	counts(t, m, 3, "aguiws_frames_received_total", "input")
	b.log(localThread, runFinished("t", "first"))
	c.wants(runFinished("t", "first"), runStarted("t", "next"))
	if got := <-cancelled; got != "r" {
		t.Errorf("%q was cancelled", got)
	}
}

// What waits in the thread's queue ends at once.
func TestPlainAbortQueued(t *testing.T) {
	b := newQueueing()
	ts := newTestServer(t, b, nil)
	c := ts.connect("/agui/ws", plainMode)
	c.send(input("t", "r"))
	ts.awaitSender()
	c.send(abort)
	eventually(t, "it is cancelled", func() bool { return b.followers() == 0 })
	b.set(func() { b.submit = nil })
	c.send(input("t", "next"))
	c.wants(runStarted("t", "next"))
}

// A repeat is stopped by the name that its run has.
func TestPlainAbortRepeat(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "r"))
	cancelled := stoppable(b, 0)
	b.submit = answering(repeats("r"))
	b.repeat = restatedAs(store.RunActive)
	c := plainClient(t, b)
	c.send(input("t", "again"))
	c.wants(runStarted("t", "again"))
	c.send(`{"type":"abort","runId":"again"}`)
	if got := <-cancelled; got != "r" {
		t.Errorf("%q was cancelled", got)
	}
}

// A repeat of a run that ended with a question is told as the run that went on with it,
// and that one is stopped.
func TestPlainAbortWhatContinues(t *testing.T) {
	b := newFake()
	b.log(localThread, runStarted("t", "later"))
	cancelled := stoppable(b, 0)
	b.submit = answering(repeats("r"))
	b.repeat = func(_ store.ThreadKey, _, label string) (follow.Repeated, error) {
		return follow.Repeated{Status: store.RunActive, Of: "later", Events: [][]byte{[]byte(runStarted("t", label))}}, nil
	}
	c := plainClient(t, b)
	c.send(input("t", "r"))
	c.wants(runStarted("t", "r"))
	c.send(abort)
	if got := <-cancelled; got != "later" {
		t.Errorf("%q was cancelled", got)
	}
}

// What is over, or was never asked for on this socket, is not stopped, and nothing is
// said about it.
func TestPlainAbortOfNothing(t *testing.T) {
	b := newFake()
	b.cancel = func(store.ThreadKey, string) (admission.Cancelled, error) {
		t.Error("a run was cancelled")
		return admission.Cancelled{}, nil
	}
	ts := newTestServer(t, b, nil)
	c := ts.connect("/agui/ws", plainMode)
	c.send(abort)
	c.send(input("t", "r")) // and what comes after it is not meant
	c.wants(runStarted("t", "r"))
	c.send(`{"type":"abort","runId":"other"}`)
	b.log(localThread, runFinished("t", "r"))
	c.wants(runFinished("t", "r"))
	c.send(abort)
	c.send(`{"type":"abort"}`)
	if f := c.expect("RUN_ERROR"); f["code"] != "invalid_frame" {
		t.Errorf("got %v", f)
	}
	full := ts.dial()
	full.send(abort)
	if f := full.expect("ws.error"); f["code"] != "invalid_frame" {
		t.Errorf("got %v", f)
	}
}
