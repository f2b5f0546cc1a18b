package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// What a branch said before a step that became uncertain is said once, though
// another branch recorded something after it.
func TestBranchTextAtTakeover(t *testing.T) {
	t.Parallel()
	var dying *cutStore
	calls, started, recorded := new(atomic.Int32), make(chan struct{}), make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		first := calls.Add(1) == 1
		return adapter.Parallel(ctx, run,
			func(ctx context.Context, run *adapter.Run) error {
				if err := run.Say("hello"); err != nil {
					return err
				}
				_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) {
					if first {
						close(started)
						<-recorded
						dying.sever()
					}
					return 1, nil
				})
				return err
			},
			func(ctx context.Context, run *adapter.Run) error {
				if first {
					<-started
					defer close(recorded)
				}
				_, err := adapter.StepWith(ctx, run, "look", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil })
				return err
			})
	})
	l := newLab(t, agent)
	dying = l.cutAfter(l.store, -1)
	l.beginOn(l.worker(dying, agent), "hi", "run-0")
	open := interrupts(t, l.untilEnd())
	succeeded(t, l.answer(resolved(open[0].ID, `{"action":"done","result":1}`)))
	l.wellFormed()
	if got := l.texts(); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("texts %q", got)
	}
}

// A replay with more or fewer branches has diverged, and runs none of them.
func TestParallelOfAnotherSize(t *testing.T) {
	for _, sizes := range [][2]int{{2, 3}, {3, 2}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			replay, ran := 0, new(atomic.Int32)
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				branches := make([]func(context.Context, *adapter.Run) error, sizes[replay])
				replay++
				for i := range branches {
					branches[i] = func(ctx context.Context, run *adapter.Run) error {
						_, err := adapter.Step(ctx, run, "s", func(context.Context) (int32, error) { return ran.Add(1), nil })
						return err
					}
				}
				if err := adapter.Parallel(ctx, run, branches...); err != nil {
					return err
				}
				_, err := run.Ask(ctx, confirmation("?"))
				return err
			}))
			open := interrupts(t, l.say("hi"))
			failedWith(t, l.answer(resolved(open[0].ID, "true")), adapter.CodeReplayDiverged)
			if n := ran.Load(); n != int32(sizes[0]) {
				t.Errorf("%d steps ran", n)
			}
		})
	}
}

// While branches run, the Run outside them says so instead of mixing its own
// numbering with theirs.
func TestOuterRunInsideABranch(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, outer *adapter.Run) error {
		err := adapter.Parallel(ctx, outer, func(ctx context.Context, run *adapter.Run) error {
			_, stepped := adapter.Step(ctx, outer, "s", func(context.Context) (bool, error) { return true, nil })
			for name, err := range map[string]error{"Say": outer.Say("outer"), "Step": stepped} {
				if err == nil || !strings.Contains(err.Error(), "its own Run") {
					t.Errorf("%s answered %v", name, err)
				}
			}
			return run.Say("inner")
		})
		if err != nil {
			return err
		}
		return outer.Say("outer again")
	}))
	succeeded(t, l.say("hi"))
	if got := l.texts(); !slices.Equal(got, []string{"inner", "outer again"}) {
		t.Errorf("texts %q", got)
	}
}
