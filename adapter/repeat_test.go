package adapter_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/follow"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// repeat sends an input again that must be a repeat, and returns what its
// sender is answered.
func (l *lab) repeat(in *protocol.RunAgentInput) []protocol.Event {
	l.t.Helper()
	a := l.submit(in)
	if a.Disposition != admission.Repeat {
		l.t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	r, err := l.runner.Repeat(l.ctx(), l.key, a.RunID, in.RunID)
	if err != nil {
		l.t.Fatal(err)
	}
	return decoded(l.t, r.Events)
}

func outcome(t *testing.T, events []protocol.Event) protocol.OutcomeType {
	t.Helper()
	if len(events) == 0 {
		t.Fatal("nothing was answered")
	}
	finished, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || finished.Outcome == nil {
		t.Fatalf("no outcome: %s", show(events))
	}
	return finished.Outcome.Type
}

// An input that was cancelled in the queue is answered as cancelled, at once,
// whenever it is sent again.
func TestRepeatOfARunCancelledInTheQueue(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	l := newLab(t, agent)
	l.submit(user("one"))
	l.submit(user("two"))
	if c, err := l.runner.Cancel(l.ctx(), l.key, "run-2", admission.Actor{}); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	again := user("two")
	again.RunID = "run-2"
	events := l.repeat(again)
	if got := outcome(t, events); show(events) != "RUN_STARTED RUN_FINISHED" || got != protocol.OutcomeCancelled {
		t.Errorf("answered %s with outcome %s", show(events), got)
	}
}

// The repeat of a run that ended says as of which position it holds the thread,
// what another run has said so far included: what follows that position is what
// is missing, and nothing is there twice.
func TestRepeatOfAnEndedRunWhileAnotherIsActive(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.submit(user("one"))
	gate <- struct{}{}
	succeeded(t, l.untilEnd())
	l.submit(user("two"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	at := l.cursor.Position()
	again := user("one")
	again.RunID = "run-1"
	a := l.submit(again)
	if a.Disposition != admission.Repeat {
		t.Fatalf("%s %+v", a.Disposition, a.Refusal)
	}
	ask := func() follow.Repeated {
		t.Helper()
		r, err := l.runner.Repeat(l.ctx(), l.key, a.RunID, "run-1")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := ask()
	if r.At != at || r.Whole {
		t.Errorf("as of %v, want %v; whole: %v", r.At, at, r.Whole)
	}
	if got := len(decoded(t, r.Events)[2].(*protocol.MessagesSnapshot).Messages); got != 5 {
		t.Errorf("%d messages, want 5", got)
	}
	close(gate)
	succeeded(t, l.untilEnd())
	if r := ask(); r.Whole {
		t.Error("an older run is taken for the thread's latest")
	}
}

// A run whose questions were steered away from lists none of them as open.
func TestRepeatOfARunSteeredAwayFrom(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if m := run.Input().Messages; m[len(m)-1].Content.String() == "never mind" {
			return run.Say("fine")
		}
		_, err := run.Ask(ctx, confirmation("?"))
		return err
	}))
	open := interrupts(t, l.say("hi"))
	in := user("never mind")
	in.Resume = []protocol.ResumeEntry{cancelled(open[0].ID)}
	l.submit(in)
	succeeded(t, l.untilEnd())
	again := user("hi")
	again.RunID = "run-1"
	if got := outcome(t, l.repeat(again)); got != protocol.OutcomeCancelled {
		t.Errorf("outcome %s", got)
	}
}

// readThen is a store on which something happens after the first read.
type readThen struct {
	store.Store
	reads atomic.Int32
	then  func()
}

func (s *readThen) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	view, err := s.Store.Read(ctx, key, q)
	if s.reads.Add(1) == 1 {
		s.then()
	}
	return view, err
}

// Answers that another client gives while they are judged are judged as of one
// moment.
func TestAnswersChangeWhileTheyAreRead(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		for range 2 {
			if _, err := run.Ask(ctx, confirmation("?")); err != nil {
				return err
			}
		}
		return nil
	}))
	one := interrupts(t, l.say("hi"))[0].ID
	two := interrupts(t, l.answer(resolved(one, "1")))[0].ID
	store := &readThen{Store: l.store, then: func() { succeeded(t, l.answer(resolved(two, "1"))) }}
	a, err := l.worker(store, asker(confirmation("?"))).Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: &protocol.RunAgentInput{
		ThreadID: l.key.Thread, RunID: "another-client", Resume: []protocol.ResumeEntry{resolved(one, "1"), resolved(two, "1")},
	}})
	if err != nil || a.Disposition != admission.Repeat {
		t.Errorf("%s %+v %v", a.Disposition, a.Refusal, err)
	}
}
