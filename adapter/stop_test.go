package adapter_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

func TestCancelActive(t *testing.T) {
	agent, gate := gated()
	l := newLab(t, agent)
	l.submit(user("one"))
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	c, err := l.runner.Cancel(l.ctx(), l.key, "run-1")
	if err != nil || !c.Stopped || c.Owed != nil {
		t.Fatalf("%+v %v", c, err)
	}
	end := l.untilEnd()
	if finished, ok := end[len(end)-1].(*protocol.RunFinished); !ok || finished.Outcome.Type != protocol.OutcomeCancelled {
		t.Fatalf("ended %s", show(end))
	}
	l.wellFormed()
	if c, err := l.runner.Cancel(l.ctx(), l.key, "run-1"); err != nil || c.Owed != nil {
		t.Errorf("stopped twice: %+v %v", c, err)
	}
	succeeded(t, func() []protocol.Event {
		l.submit(&protocol.RunAgentInput{RunID: "ends", Messages: user("x").Messages})
		close(gate)
		return l.untilEnd()
	}())
	if c, err := l.runner.Cancel(l.ctx(), l.key, "ends"); err != nil || c.Stopped {
		t.Errorf("stopped a run that had ended: %+v %v", c, err)
	}
	if c, err := l.runner.Cancel(l.ctx(), l.key, "nobody"); err != nil || c.Stopped {
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
	if c, err := l.runner.Cancel(l.ctx(), l.key, "run-1"); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	if got := show(l.untilEnd()); got != "TEXT_MESSAGE_END STEP_FINISHED RUN_FINISHED" {
		t.Errorf("closed with %s", got)
	}
	l.wellFormed()
}

// silentStop is a store whose first reply to Stop is lost.
type silentStop struct {
	adapter.Store
	once sync.Once
}

func (s *silentStop) Stop(ctx context.Context, stop adapter.Stop) (result adapter.StopResult, err error) {
	result, err = s.Store.Stop(ctx, stop)
	s.once.Do(func() { result, err = adapter.StopResult{}, errCut })
	return result, err
}

// One Cancel stops one run, even when the reply is lost and another run has
// the same label.
func TestCancelOnceWhenTheReplyIsLost(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	l := newLab(t, agent)
	l.submit(user("one"))
	for _, text := range []string{"two", "three"} {
		in := user(text)
		in.RunID = "same"
		if a := l.submit(in); a.Disposition != adapter.Queued {
			t.Fatalf("%s %+v", a.Disposition, a.Refusal)
		}
	}
	if c, err := l.worker(&silentStop{Store: l.store}, agent).Cancel(l.ctx(), l.key, "same"); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	view, err := l.store.Read(l.ctx(), l.key, adapter.ReadQuery{})
	if err != nil || len(view.Queue) != 1 {
		t.Errorf("%d inputs wait, want one: %v", len(view.Queue), err)
	}
}
