package adapter_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// countedAsker asks two questions and counts the calls of its function.
func countedAsker(calls *atomic.Int32) adapter.Agent {
	asks := asker(confirmation("one?"), confirmation("two?"))
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		calls.Add(1)
		return asks.Run(ctx, run)
	})
}

var bySocket = admission.Actor{User: bob, From: store.Origin{Through: store.ThroughSocket, Name: "bob"}}

func endedCancelled(t *testing.T, events []protocol.Event) {
	t.Helper()
	finished, ok := events[len(events)-1].(*protocol.RunFinished)
	if !ok || finished.Outcome == nil || finished.Outcome.Type != protocol.OutcomeCancelled {
		t.Fatalf("not cancelled: %s", show(events))
	}
}

// A run that waits for answers can be cancelled by every way of stopping: its questions are
// cancelled on record, its agent is not called again, a late answer is told so, and the
// thread goes on.
func TestCancelWaiting(t *testing.T) {
	for name, stop := range map[string]func(l *lab, id string) (bool, error){
		"by its label": func(l *lab, _ string) (bool, error) {
			c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", bySocket)
			return c.Stopped, err
		},
		"by its id": func(l *lab, id string) (bool, error) {
			c, err := l.runner.CancelRun(l.ctx(), l.key, id, "enough", bySocket)
			return c.Stopped, err
		},
		"of the thread": func(l *lab, id string) (bool, error) {
			waited, err := l.runner.CancelWaiting(l.ctx(), l.key, bySocket)
			return waited == id, err
		},
		"with all": func(l *lab, id string) (bool, error) {
			all, err := l.runner.StopAll(l.ctx(), l.key, "enough", bySocket)
			return all.Waiting == id && all.Active == "", err
		},
		"with all below": func(l *lab, _ string) (bool, error) {
			top := store.ThreadKey{Namespace: l.key.Namespace, Thread: "top"}
			if _, err := l.runner.CreateThread(l.ctx(), top, operate.NewThread{}); err != nil {
				return false, err
			}
			if _, err := l.runner.UpdateThread(l.ctx(), l.key, operate.NewThread{Parent: &top.Thread}); err != nil {
				return false, err
			}
			if b, err := l.runner.StopBelow(l.ctx(), top, "look", false, bySocket); err != nil || b.Waiting != 1 {
				l.t.Errorf("%+v %v", b, err)
			}
			b, err := l.runner.StopBelow(l.ctx(), top, "enough", true, bySocket)
			return b.Stopped == 1 && b.Waiting == 0, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			l := newLab(t, countedAsker(&calls))
			open := interrupts(t, l.say("hi"))
			thread, err := l.runner.Thread(l.ctx(), l.key)
			if err != nil {
				t.Fatal(err)
			}
			if c, err := l.runner.Cancel(l.ctx(), l.key, "another", bySocket); err != nil || c.Stopped {
				t.Errorf("another run: %+v %v", c, err)
			}
			if stopped, err := stop(l, thread.OpenRun); err != nil || !stopped {
				t.Fatalf("stopped %v, %v", stopped, err)
			}
			events := l.untilEnd()
			endedCancelled(t, events)
			l.wellFormed()
			told := string(events[0].(*protocol.RunStarted).Metadata["aguiws"])
			if strings.Count(told, `"status":"cancelled"`) != 2 || strings.Count(told, `"through":"socket"`) != 2 || !strings.Contains(told, `"by":"bob"`) {
				t.Errorf("followers are told %s", told)
			}
			for _, d := range l.decisions() {
				if d.Status != store.DecisionCancelled || d.User != bob || d.Through != store.ThroughSocket {
					t.Errorf("on record is %+v %s", d.Decision, d.Body)
				}
			}
			if n := len(l.decisions()); n != 2 {
				t.Errorf("%d decisions are on record", n)
			}
			if inbox, _, err := l.runner.Inbox(l.ctx(), operate.InboxQuery{InboxQuery: store.InboxQuery{AllTenants: true}}); err != nil || len(inbox) > 0 {
				t.Errorf("the inbox has %+v, %v", inbox, err)
			}
			late := l.from(byLink, &protocol.RunAgentInput{RunID: "late", Resume: []protocol.ResumeEntry{resolved(open[0].ID, "true"), resolved(open[1].ID, "true")}})
			refusedWith(t, late, adapter.CodeConflict)
			if !strings.Contains(late.Refusal.Message, "the run that asked was cancelled") {
				t.Errorf("a late answer is told %s", late.Refusal.Message)
			}
			if again, err := l.runner.CancelWaiting(l.ctx(), l.key, bySocket); err != nil || again != "" {
				t.Errorf("once more: %q, %v", again, err)
			}
			if n := calls.Load(); n != 1 {
				t.Errorf("the agent was called %d times", n)
			}
			interrupts(t, l.say("and now?"))
		})
	}
}

// An answer and a cancel at once: one of them takes place, and the other is told.
func TestCancelWaitingRace(t *testing.T) {
	won := map[bool]int{}
	times := 20
	if testing.Short() {
		times = 5
	}
	for range times {
		var calls atomic.Int32
		l := newLab(t, countedAsker(&calls))
		open := interrupts(t, l.say("hi"))
		cancelled := make(chan bool)
		go func() {
			c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", bySocket)
			if err != nil {
				t.Error(err)
			}
			cancelled <- c.Stopped
		}()
		a := l.from(byLink, &protocol.RunAgentInput{RunID: "answer", Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1"), resolved(open[1].ID, "2")}})
		stopped := <-cancelled
		if stopped == (a.Disposition == admission.Started) {
			t.Fatalf("cancelled %v, and the answer was %s", stopped, a.Disposition)
		}
		events := l.untilEnd()
		if stopped {
			endedCancelled(t, events)
		} else {
			succeeded(t, events)
		}
		if n := calls.Load(); n != map[bool]int32{true: 1, false: 2}[stopped] {
			t.Errorf("cancelled %v, and the agent was called %d times", stopped, n)
		}
		won[stopped]++
	}
	t.Logf("cancelled first: %d of %d", won[true], times)
}

// A worker that is lost between the decision and the end is taken over, and the run ends as
// cancelled all the same.
func TestCancelWaitingIsTakenOver(t *testing.T) {
	var calls atomic.Int32
	l := newLab(t, countedAsker(&calls))
	interrupts(t, l.say("hi"))
	dying := l.worker(l.cutBefore(l.store, protocol.TypeRunFinished), countedAsker(&calls))
	ctx, leave := context.WithCancel(l.ctx())
	told := make(chan error, 1)
	go func() {
		_, err := dying.CancelWaiting(ctx, l.key, bySocket)
		told <- err
	}()
	endedCancelled(t, l.untilEnd())
	leave() // the lost worker knows nothing of the end, and its caller waits for no longer than it likes
	if err := await(l, told); err != nil {
		t.Error(err)
	}
	l.wellFormed()
	if n := calls.Load(); n != 1 {
		t.Errorf("the agent was called %d times", n)
	}
	interrupts(t, l.say("and now?"))
}
