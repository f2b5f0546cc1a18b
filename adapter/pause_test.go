package adapter_test

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// A wish that was taken back after a step was recorded, and before the next one,
// stops nothing.
func TestPauseIsTakenBackBetweenSteps(t *testing.T) {
	in, between, on := make(chan struct{}), make(chan struct{}), make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		step := func(fn func()) error {
			_, err := adapter.IdempotentStep(ctx, run, "work", func(context.Context) (int, error) { fn(); return 1, nil })
			return err
		}
		if err := step(func() { <-in }); err != nil {
			return err
		}
		close(between)
		<-on
		return step(func() {})
	}))
	l.submit(user("hi"))
	if active, err := l.runner.Pause(l.ctx(), l.key); err != nil || !active {
		t.Fatal(active, err)
	}
	close(in)
	await(l, between)
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "", "unpause"); err != nil || !ok {
		t.Fatal(ok, err)
	}
	close(on)
	succeeded(t, l.untilEnd())
}
