package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/protocol"
)

// What was said between the last record and the step at which an operator paused
// is not said again when the run goes on; a text that was open there goes on.
func TestPauseRepeatsNothing(t *testing.T) {
	let := make(chan struct{}, 3)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Say("begun"); err != nil {
			return err
		}
		text, err := run.Text()
		if err != nil {
			return err
		}
		for n := range 3 {
			if _, err := adapter.StepWith(ctx, run, "work", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
				select {
				case <-let:
				case <-ctx.Done():
				}
				return 1, nil
			}); err != nil {
				return err
			}
			if _, err := fmt.Fprintf(text, "%d ", n+1); err != nil {
				return err
			}
		}
		return text.Close()
	}))
	l.submit(user("hi"))
	for range 2 {
		if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
			t.Fatal(active, err)
		}
		let <- struct{}{}
		open := interrupts(t, l.untilEnd())
		if len(open) != 1 || open[0].Reason != adapter.ReasonPaused {
			t.Fatalf("%+v", open)
		}
		l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{{InterruptID: open[0].ID, Status: protocol.ResumeResolved}}})
	}
	let <- struct{}{}
	succeeded(t, l.untilEnd())
	if said := l.texts(); !slices.Equal(said, []string{"begun", "1 2 3 "}) {
		t.Errorf("said %q", said)
	}
	l.wellFormed()
}
