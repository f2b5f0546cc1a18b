package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// A step that was started and not recorded is not run again before a human
// says so.
func TestUncertainStep(t *testing.T) {
	for name, test := range map[string]struct {
		answer protocol.ResumeEntry
		ran    int
		text   string
	}{
		"rerun":     {resolved("", `{"action":"rerun"}`), 2, "result 2"},
		"done":      {resolved("", `{"action":"done","result":7}`), 1, "result 7"},
		"fail":      {resolved("", `{"action":"fail"}`), 1, "failed"},
		"cancelled": {cancelled(""), 1, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var dying *cutStore
			ran := 0
			agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if err := run.Say("before"); err != nil {
					return err
				}
				n, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) {
					ran++
					if ran == 1 {
						dying.sever()
					}
					return ran, nil
				})
				var failed *adapter.StepError
				if errors.As(err, &failed) {
					return run.Say("failed")
				}
				if err != nil {
					return err
				}
				return run.Say(fmt.Sprintf("result %d", n))
			})
			l := newLab(t, agent)
			dying = l.cutAfter(l.store, -1)
			l.beginOn(l.worker(dying, agent), "hi", "run-0")
			open := interrupts(t, l.untilEnd())
			if len(open) != 1 || open[0].Reason != adapter.ReasonUncertainStep {
				t.Fatalf("interrupts %+v", open)
			}
			if ran != 1 {
				t.Fatalf("the step ran %d times before anybody answered", ran)
			}
			test.answer.InterruptID = open[0].ID
			succeeded(t, l.answer(test.answer))
			l.wellFormed()
			if ran != test.ran {
				t.Errorf("the step ran %d times, want %d", ran, test.ran)
			}
			if got := l.texts(); !slices.Equal(got, []string{"before", test.text}) {
				t.Errorf("texts %q", got)
			}
			if got := l.contents(protocol.RoleUser); !slices.Equal(got, []string{"hi"}) {
				t.Errorf("what was asked is %q", got)
			}
		})
	}
}

// A step that a human decided about must be met again: a path that leaves it
// out has diverged.
func TestUncertainStepNotMet(t *testing.T) {
	t.Parallel()
	var dying *cutStore
	calls := new(atomic.Int32)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if calls.Add(1) > 1 {
			return nil
		}
		_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) { dying.sever(); return 1, nil })
		return err
	})
	l := newLab(t, agent)
	dying = l.cutAfter(l.store, -1)
	l.beginOn(l.worker(dying, agent), "hi", "run-0")
	open := interrupts(t, l.untilEnd())
	failedWith(t, l.answer(resolved(open[0].ID, `{"action":"rerun"}`)), adapter.CodeReplayDiverged)
}
