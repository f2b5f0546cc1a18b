package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

var uncertainSteps = map[string]adapter.StepOptions{
	"step": {}, "idempotent step": {Idempotent: true}, "step with an input": {Input: 1}, "idempotent step with an input": {Idempotent: true, Input: 1},
}

// What nobody knows of a step that broke off a human says, as after a worker's death.
func TestUncertainError(t *testing.T) {
	for kind, options := range uncertainSteps {
		for name, test := range map[string]struct {
			answer protocol.ResumeEntry
			ran    int
			text   string
		}{
			"rerun":     {resolved("", `{"action":"rerun"}`), 3, "result 3"},
			"done":      {resolved("", `{"action":"done","result":7}`), 1, "result 7"},
			"fail":      {resolved("", `{"action":"fail"}`), 1, "failed"},
			"cancelled": {cancelled(""), 1, "failed"},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				ran, ids := 0, map[string]bool{}
				l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					if err := run.Say("before"); err != nil {
						return err
					}
					n, err := adapter.StepWith(ctx, run, "pay", options, func(context.Context) (int, error) {
						ran++
						ids[run.NewID()] = true
						if ran < 3 {
							return 0, fmt.Errorf("secret: %w", &adapter.UncertainError{Message: "the line is dead"})
						}
						return ran, nil
					})
					if failed := (*adapter.StepError)(nil); errors.As(err, &failed) {
						return run.Say("failed")
					}
					if err != nil {
						return err
					}
					if _, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) { return 1, nil }); err != nil {
						return err
					}
					return run.Say(fmt.Sprintf("result %d", n))
				}))
				events := l.say("hi")
				for range test.ran {
					open := interrupts(t, events)
					if len(open) != 1 || open[0].Reason != adapter.ReasonUncertainStep || !strings.Contains(open[0].Message, "The step pay#1 was begun, and nobody knows whether it took effect: the line is dead.") {
						t.Fatalf("interrupts %+v", open)
					}
					test.answer.InterruptID = open[0].ID
					if events = l.answer(test.answer); ran == test.ran {
						break
					}
				}
				succeeded(t, events)
				l.wellFormed()
				if ran != test.ran || len(ids) != 1 {
					t.Errorf("the step ran %d times, with %d ids", ran, len(ids))
				}
				if got := l.texts(); !slices.Equal(got, []string{"before", test.text}) {
					t.Errorf("texts %q", got)
				}
			})
		}
	}
}

// Where the run cannot suspend, it is the step's error.
func TestUncertainErrorWhereNobodyIsAsked(t *testing.T) {
	dead := func(context.Context) (int, error) { return 0, &adapter.UncertainError{Message: "the line is dead"} }
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		return adapter.Parallel(ctx, run, func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "pay", dead)
			if failed := (*adapter.StepError)(nil); !errors.As(err, &failed) || failed.Message != "the line is dead" {
				t.Errorf("%v", err)
			}
			return nil
		})
	}))
	succeeded(t, l.say("hi"))
	l.wellFormed()
}

// What a step has said when it breaks off is taken back before a human is asked, and said
// once when it is done again.
func TestUncertainErrorTakesBack(t *testing.T) {
	for kind, options := range uncertainSteps {
		t.Run(kind, func(t *testing.T) {
			ran := 0
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if err := run.Say("before"); err != nil {
					return err
				}
				if _, err := adapter.StepWith(ctx, run, "pay", options, func(context.Context) (int, error) {
					if ran++; ran < 3 {
						if err := run.Say("half"); err != nil {
							return 0, err
						}
						return 0, &adapter.UncertainError{Message: "the line is dead"}
					}
					return 0, run.Say("whole")
				}); err != nil {
					return err
				}
				return run.Say("after")
			}))
			events := l.say("hi")
			for range 2 {
				open := interrupts(t, events)
				if len(open) != 1 || !strings.Contains(open[0].Message, "whether it took effect: the line is dead.") {
					t.Fatalf("interrupts %+v", open)
				}
				if got := l.texts(); len(got) > 0 {
					t.Errorf("texts %q", got)
				}
				events = l.answer(resolved(open[0].ID, `{"action":"rerun"}`))
			}
			succeeded(t, events)
			l.wellFormed()
			if got := l.texts(); !slices.Equal(got, []string{"before", "whole", "after"}) {
				t.Errorf("texts %q", got)
			}
		})
	}
}
