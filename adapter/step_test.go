package adapter_test

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// A step that panicked has run: no replay runs it again, even when the agent
// recovers.
func TestStepThatPanicked(t *testing.T) {
	ran := 0
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		func() {
			defer func() { recover() }()
			adapter.Step(ctx, run, "pay", func(context.Context) (int, error) { ran++; panic("after paying") })
		}()
		_, err := run.Ask(ctx, confirmation("?"))
		return err
	}))
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	if ran != 1 {
		t.Errorf("the step ran %d times", ran)
	}
}

// A step whose events are refused ends the run, whatever the agent makes of
// the error, and does not run again.
func TestStepWhoseEventsAreRefused(t *testing.T) {
	ran := 0
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		adapter.Parallel(ctx, run, func(ctx context.Context, run *adapter.Run) error {
			adapter.Step(ctx, run, "pay", func(context.Context) (int, error) {
				ran++
				return 1, run.Emit(&protocol.TextMessageEnd{MessageID: "nobody"})
			})
			return nil
		})
		_, err := run.Ask(ctx, confirmation("?"))
		return err
	}))
	failedWith(t, l.say("hi"), adapter.CodeProtocolViolation)
	l.wellFormed()
	if ran != 1 {
		t.Errorf("the step ran %d times", ran)
	}
}
