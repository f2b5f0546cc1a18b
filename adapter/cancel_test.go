package adapter_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func TestCancelActive(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.submit(user("one"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", admission.Actor{})
	if err != nil || !c.Stopped || c.Owed != nil {
		t.Fatalf("%+v %v", c, err)
	}
	end := l.untilEnd()
	if finished, ok := end[len(end)-1].(*protocol.RunFinished); !ok || finished.Outcome.Type != protocol.OutcomeCancelled {
		t.Fatalf("ended %s", show(end))
	}
	l.wellFormed()
	if c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", admission.Actor{}); err != nil || c.Owed != nil {
		t.Errorf("stopped twice: %+v %v", c, err)
	}
	succeeded(t, func() []protocol.Event {
		l.submit(&protocol.RunAgentInput{RunID: "ends", Messages: user("x").Messages})
		close(gate)
		return l.untilEnd()
	}())
	if c, err := l.runner.Cancel(l.ctx(), l.key, "ends", admission.Actor{}); err != nil || c.Stopped {
		t.Errorf("stopped a run that had ended: %+v %v", c, err)
	}
	if c, err := l.runner.Cancel(l.ctx(), l.key, "nobody", admission.Actor{}); err != nil || c.Stopped {
		t.Errorf("stopped nobody: %+v %v", c, err)
	}
}

// A run that is stopped with a text open is closed in order.
func TestCancelClosesWhatIsOpen(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		text, err := run.Text()
		if err != nil {
			return err
		}
		if _, err := run.StartStep("phase"); err != nil {
			return err
		}
		fmt.Fprint(text, "half")
		<-ctx.Done()
		return context.Cause(ctx)
	}))
	l.submit(user("one"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageContent })
	if c, err := l.runner.Cancel(l.ctx(), l.key, "run-1", admission.Actor{}); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	if got := show(l.untilEnd()); got != "TEXT_MESSAGE_END STEP_FINISHED RUN_FINISHED" {
		t.Errorf("closed with %s", got)
	}
	l.wellFormed()
}

// silentStop is a store whose first reply to Stop is lost.
type silentStop struct {
	store.Store
	once sync.Once
}

func (s *silentStop) Stop(ctx context.Context, stop store.Stop) (result store.StopResult, err error) {
	result, err = s.Store.Stop(ctx, stop)
	s.once.Do(func() { result, err = store.StopResult{}, errCut })
	return result, err
}

// A label that several runs carry is cancelled in all of them, the active one and
// those that wait, and in no other run, even when a reply is lost.
func TestCancelAllOfALabel(t *testing.T) {
	for name, first := range map[string]string{"waiting": "another", "active and waiting": "same"} {
		t.Run(name, func(t *testing.T) {
			agent, gate := gated()
			l := newLab(t, agent)
			for i, label := range []string{first, "same", "other", "same"} {
				in := user(fmt.Sprint("text ", i))
				in.RunID = label
				if a := l.submit(in); a.Refusal != nil {
					t.Fatalf("%s %+v", a.Disposition, a.Refusal)
				}
			}
			canceller := l.worker(&silentStop{Store: l.store}, agent)
			c, err := canceller.Cancel(l.ctx(), l.key, "same", admission.Actor{})
			if err != nil || !c.Stopped || show(decoded(t, c.Owed)) != "RUN_STARTED RUN_FINISHED" {
				t.Fatalf("%+v %v", c, err)
			}
			if c, err := canceller.Cancel(l.ctx(), l.key, "same", admission.Actor{}); err != nil || c.Stopped {
				t.Errorf("again: %+v %v", c, err)
			}
			close(gate)
			ends := map[string][]string{}
			for len(ends["same"]) < 2 || len(ends["other"]) < 1 {
				events := l.untilEnd()
				end := events[len(events)-1].(*protocol.RunFinished)
				ends[end.RunID] = append(ends[end.RunID], string(end.Outcome.Type))
			}
			for label, outcomes := range ends {
				for _, o := range outcomes {
					if want := map[bool]string{true: "cancelled", false: "success"}[label == "same"]; o != want {
						t.Errorf("%s ended in %s", label, o)
					}
				}
			}
			l.wellFormed()
		})
	}
}
