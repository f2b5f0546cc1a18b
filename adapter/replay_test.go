package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// A step's error takes the same path in every replay.
func TestReplayStepError(t *testing.T) {
	ran := 0
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.Step(ctx, run, "break", func(context.Context) (int, error) { ran++; return 0, errors.New("broken") })
		var failed *adapter.StepError
		if !errors.As(err, &failed) || failed.Message != "broken" {
			return fmt.Errorf("unexpected %w", err)
		}
		if _, err := run.Ask(ctx, confirmation("it broke")); err != nil {
			return err
		}
		return run.Say("handled")
	}))
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	if ran != 1 {
		t.Errorf("the step ran %d times", ran)
	}
}

// Steps of one name in a loop are told apart by their ordinal.
func TestReplayStepsOfOneName(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		var got []int
		for i := range 3 {
			n, err := adapter.Step(ctx, run, "loop", func(context.Context) (int, error) { return i * 10, nil })
			if err != nil {
				return err
			}
			got = append(got, n)
		}
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		return run.Say(fmt.Sprint(got))
	}))
	open := interrupts(t, l.say("hi"))
	l.answer(resolved(open[0].ID, "true"))
	if got := l.texts(); !slices.Equal(got, []string{"[0 10 20]"}) {
		t.Errorf("texts %q", got)
	}
}

// A replay that does otherwise than the journal says fails, and the decision
// is given back: the same interrupt is open again.
func TestReplayDiverges(t *testing.T) {
	step := func(name string) func(context.Context, *adapter.Run) error {
		return func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, name, func(context.Context) (bool, error) { return true, nil })
			return err
		}
	}
	ask := func(i protocol.Interrupt) func(context.Context, *adapter.Run) error {
		return func(ctx context.Context, run *adapter.Run) error { _, err := run.Ask(ctx, i); return err }
	}
	call := func(args string) func(context.Context, *adapter.Run) error {
		return func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Args: []byte(args),
				Do: func(context.Context, adapter.Invocation) (rawJSON, error) {
					return nil, errors.New("must not be carried out")
				}})
			return err
		}
	}
	type path = []func(context.Context, *adapter.Run) error
	for name, paths := range map[string][2]path{
		"steps in another order": {{step("a"), step("b"), ask(confirmation("?"))}, {step("b"), step("a"), ask(confirmation("?"))}},
		"a step more":            {{step("a"), ask(confirmation("?"))}, {step("a"), step("b"), ask(confirmation("?"))}},
		"a step less":            {{step("a"), ask(confirmation("?"))}, {ask(confirmation("?"))}},
		"another question":       {{ask(confirmation("delete one?"))}, {ask(confirmation("delete all?"))}},
		"other arguments":        {{call(`{"amount":10}`)}, {call(`{"amount":9999}`)}},
		"returns too early":      {{step("a"), ask(confirmation("?"))}, {step("a")}},
	} {
		t.Run(name, func(t *testing.T) {
			replays, faithful := 0, false
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				path := paths[0]
				if replays > 0 && !faithful {
					path = paths[1]
				}
				replays++
				for _, do := range path {
					if err := do(ctx, run); err != nil {
						return err
					}
				}
				return nil
			}))
			open := interrupts(t, l.say("hi"))
			before, err := l.store.Notices(l.ctx(), store.NoticeQuery{})
			if err != nil {
				t.Fatal(err)
			}
			failedWith(t, l.answer(resolved(open[0].ID, `{"approved":true}`)), adapter.CodeReplayDiverged)
			l.wellFormed()
			told, err := l.store.Notices(l.ctx(), store.NoticeQuery{After: before.Next})
			if err != nil {
				t.Fatal(err)
			}
			if n := told.Notices[len(told.Notices)-1]; n.Kind != store.NoticeReopened || n.How != adapter.CodeReplayDiverged {
				t.Errorf("the notice is %+v", n)
			}
			again, err := l.cursor.Attach(l.ctx(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(again.Interrupts) != 1 || !strings.Contains(string(again.Interrupts[0]), open[0].ID) {
				t.Fatalf("the interrupt is not open again: %s", again.Interrupts)
			}
			faithful = true
			events := l.answer(resolved(open[0].ID, `{"approved":false}`))
			succeeded(t, events)
		})
	}
}

// Asking inside a step or a branch suspends nothing, and says so at once.
func TestAskInside(t *testing.T) {
	refused := func(err error) error {
		if err == nil || errors.Is(err, adapter.ErrSuspended) || !strings.Contains(err.Error(), "Ask inside") {
			return fmt.Errorf("Ask answered %w", err)
		}
		return nil
	}
	for name, agent := range map[string]adapter.AgentFunc{
		"step": func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "s", func(ctx context.Context) (bool, error) {
				_, err := run.Ask(ctx, confirmation("?"))
				return true, refused(err)
			})
			return err
		},
		"step with the outer context": func(outer context.Context, run *adapter.Run) error {
			_, err := adapter.Step(outer, run, "s", func(context.Context) (bool, error) {
				_, err := run.Ask(outer, confirmation("?"))
				return true, refused(err)
			})
			return err
		},
		"branch": func(ctx context.Context, run *adapter.Run) error {
			return adapter.Parallel(ctx, run, func(ctx context.Context, branch *adapter.Run) error {
				_, err := branch.Ask(ctx, confirmation("?"))
				return refused(err)
			})
		},
		"branch with the outer run": func(outer context.Context, run *adapter.Run) error {
			return adapter.Parallel(outer, run, func(context.Context, *adapter.Run) error {
				_, err := run.Ask(outer, confirmation("?"))
				return refused(err)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, agent)
			succeeded(t, l.say("hi"))
		})
	}
}

// Branches number their own steps, so it does not matter which ends first.
func TestReplayParallel(t *testing.T) {
	replay := 0
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		replay++
		results := make([]string, 4)
		turns := make([]chan struct{}, len(results)+1)
		for i := range turns {
			turns[i] = make(chan struct{})
		}
		first := replay == 1
		if first {
			close(turns[len(results)]) // the last branch goes first
		}
		var branches []func(context.Context, *adapter.Run) error
		for i := range results {
			branches = append(branches, func(ctx context.Context, run *adapter.Run) error {
				if first {
					<-turns[i+1]
					defer close(turns[i])
				}
				for range 2 {
					got, err := adapter.Step(ctx, run, "work", func(context.Context) (string, error) {
						return fmt.Sprint(i), run.Say(fmt.Sprintf("branch %d", i))
					})
					if err != nil {
						return err
					}
					results[i] += got
				}
				return nil
			})
		}
		if err := run.Say("begin"); err != nil {
			return err
		}
		if err := adapter.Parallel(ctx, run, branches...); err != nil {
			return err
		}
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		return run.Say(strings.Join(results, ","))
	}))
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	l.wellFormed()
	got := l.texts()
	if len(got) != 10 || got[0] != "begin" || got[9] != "00,11,22,33" {
		t.Errorf("texts %q", got)
	}
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != 6 {
		t.Errorf("texts %q", got)
	}
}

// A text that is open when the run suspends goes on as the same message.
func TestReplayTextOpenAcrossAsk(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		text, err := run.Text()
		if err != nil {
			return err
		}
		fmt.Fprint(text, "one ")
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		if _, err := fmt.Fprint(text, "two"); err != nil {
			return err
		}
		return text.Close()
	}))
	first := l.say("hi")
	open := interrupts(t, first)
	second := l.answer(resolved(open[0].ID, "true"))
	succeeded(t, second)
	l.wellFormed()
	if got := l.texts(); !slices.Equal(got, []string{"one two"}) {
		t.Errorf("texts %q", got)
	}
	want := "RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END MESSAGES_SNAPSHOT RUN_FINISHED"
	if got := show(second); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An open text that the agent only closes after the answer is not opened again.
func TestReplayTextClosedAfterAsk(t *testing.T) {
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		text, err := run.Text()
		if err != nil {
			return err
		}
		fmt.Fprint(text, "one")
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		return text.Close()
	}))
	open := interrupts(t, l.say("hi"))
	if got := show(l.answer(resolved(open[0].ID, "true"))); got != "RUN_STARTED MESSAGES_SNAPSHOT RUN_FINISHED" {
		t.Error(got)
	}
}
