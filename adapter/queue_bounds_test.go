package adapter_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// What waits on a thread is bounded by its size, as the store keeps it.
func TestQueueIsBoundedByBytes(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent, func(o *runner.Options) { o.MaxQueueBytes = 160_000 })
	l.submit(user("one"))
	large := func(name string) *protocol.RunAgentInput {
		in := user(name)
		text := ""
		for len(text) < 40_000 {
			text += rand.Text() // nothing packs it
		}
		in.Messages[0].Content = protocol.Text(text)
		return in
	}
	for _, name := range []string{"two", "three"} {
		l.queues(large(name))
	}
	if a := l.submit(large("four")); a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadBusy || details(t, a.Refusal)["retryAfterMs"] == nil {
		t.Errorf("a third large input: %+v", a)
	}
	if a := l.submit(user("small")); a.Disposition != admission.Queued {
		t.Errorf("a small one: %+v", a)
	}
	close(gate)
	for waits := true; waits; {
		l.untilEnd()
		view, err := l.store.Read(l.ctx(), l.key, store.ReadQuery{})
		if err != nil {
			t.Fatal(err)
		}
		waits = view.Active != nil || view.QueueLength > 0
	}
	if a := l.submit(large("five")); a.Disposition != admission.Started {
		t.Errorf("afterwards: %+v", a)
	}
	l.untilEnd()
}

// Inputs that are sent and cancelled while a run is active do not pile up.
func TestCancelledInputsCountAsWaiting(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	l := newLab(t, agent, func(o *runner.Options) { o.MaxQueue = 5 })
	l.submit(user("one"))
	for n := range 5 {
		in := user(fmt.Sprint("waits ", n))
		l.queues(in)
		if c, err := l.runner.Cancel(l.ctx(), l.key, in.RunID, admission.Actor{}); err != nil || !c.Stopped {
			t.Fatalf("%d: %+v %v", n, c, err)
		}
	}
	if a := l.submit(user("one more")); a.Refusal == nil || a.Refusal.Code != adapter.CodeThreadBusy {
		t.Errorf("%+v", a)
	}
}

// To judge and to carry inputs those that wait are not read.
func TestWaitingInputsAreReadByFollowersAlone(t *testing.T) {
	agent, gate := gated()
	var counted *reads
	l := newLabOn(t, func(s store.Store) store.Store { counted = &reads{Store: s}; return counted }, agent)
	l.submit(user("one"))
	for _, text := range []string{"two", "three"} {
		l.submit(user(text))
	}
	again := user("three") // what waits is known, and is not taken for new
	l.queues(again)
	if _, err := l.runner.Thread(l.ctx(), l.key); err != nil {
		t.Fatal(err)
	}
	if n := counted.inputs.Load(); n != 0 {
		t.Errorf("%d bytes of waiting inputs were read", n)
	}
	at := l.cursor.Position()
	other := l.runner.Follow(l.key, func() {})
	defer other.Close()
	a, err := other.Attach(l.ctx(), &at)
	if err != nil || len(a.Queued) != 3 || !strings.Contains(string(a.Queued[0].Messages), "m-two") || string(a.Queued[2].Messages) != "null" && string(a.Queued[2].Messages) != "[]" {
		t.Errorf("%+v %v", a, err)
	}
	close(gate)
	for ends := 0; ends < 4; {
		for _, e := range l.untilEnd() {
			if isEnd(e) {
				ends++
			}
		}
	}
}
