package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

const unreachable = "upstream_unavailable"

func notBegun() error {
	return fmt.Errorf("secret: %w", &adapter.GiveBackError{Code: unreachable, Message: "Nobody is there.", Err: errors.New("dial db-7: secret")})
}

// openNow are the ids of the interrupts that are open.
func (l *lab) openNow() (ids []string) {
	l.t.Helper()
	at, err := l.cursor.Attach(l.ctx(), nil)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, text := range at.Interrupts {
		var i protocol.Interrupt
		if err := i.UnmarshalJSON(text); err != nil {
			l.t.Fatal(err)
		}
		ids = append(ids, i.ID)
	}
	return ids
}

type stepFunc func(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error

func inStep(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error {
	_, err := adapter.Step(ctx, run, "resume", fn)
	return err
}

var plainAnswer = confirmation("go?")

// An answer that could not be carried out waits again, under its id, for the same answer or
// for another, and what was tried before is tried anew.
func TestGiveBackError(t *testing.T) {
	for name, step := range map[string]stepFunc{
		"step": inStep,
		"step whose error is not returned": func(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error {
			_ = inStep(ctx, run, fn)
			return nil
		},
		"idempotent step": func(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error {
			_, err := adapter.StepWith(ctx, run, "resume", adapter.StepOptions{Idempotent: true}, fn)
			return err
		},
		"idempotent step that is given something": func(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error {
			_, err := adapter.StepWith(ctx, run, "resume", adapter.StepOptions{Idempotent: true, Input: 1}, fn)
			return err
		},
		"of a subagent": func(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error {
			return run.Delegate("helper", "", func(string) error { return inStep(ctx, run, fn) })
		},
		"no step": func(ctx context.Context, run *adapter.Run, fn func(context.Context) (int, error)) error {
			_, err := fn(ctx)
			return err
		},
	} {
		for _, other := range []bool{false, true} {
			t.Run(fmt.Sprint(name, other), func(t *testing.T) {
				fails, calls := true, 0
				var log logged
				l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					answers, err := run.Ask(ctx, plainAnswer)
					if err != nil {
						return err
					}
					return step(ctx, run, func(context.Context) (int, error) {
						calls++
						id := fmt.Sprint("m", calls)
						err := run.Emit(&protocol.TextMessageStart{MessageID: id, Role: protocol.RoleAssistant},
							&protocol.TextMessageContent{MessageID: id, Delta: status(answers.Of[0])})
						if fails {
							err = notBegun()
						}
						return 1, err
					})
				}), func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
				open := interrupts(t, l.say("hi"))[0].ID
				answer := func(runID string, entry protocol.ResumeEntry) []protocol.Event {
					t.Helper()
					l.begins(&protocol.RunAgentInput{RunID: runID, Resume: []protocol.ResumeEntry{entry}})
					return l.untilEnd()
				}
				for range 2 {
					if e := failedWith(t, answer("answer", resolved(open, "true")), unreachable); e.Message != "Nobody is there." {
						t.Errorf("clients are told %q", e.Message)
					}
					if got := l.openNow(); !slices.Equal(got, []string{open}) {
						t.Fatalf("open: %s", got)
					}
				}
				if said := log.String(); !strings.Contains(said, "db-7") {
					t.Errorf("the log has %s", said)
				}
				fails = false
				if other {
					succeeded(t, answer("other", cancelled(open)))
				} else {
					succeeded(t, answer("answer", resolved(open, "true")))
				}
				l.wellFormed()
				want := []string{"resolved", "resolved", map[bool]string{false: "resolved", true: "cancelled"}[other]}
				if got := l.texts(); !slices.Equal(got, want) {
					t.Errorf("texts %q, want %q", got, want)
				}
				if a := l.submit(&protocol.RunAgentInput{RunID: "late", Resume: []protocol.ResumeEntry{resolved(open, "7")}}); a.Disposition != admission.Refused {
					t.Errorf("%s of %q", a.Disposition, a.Of)
				}
			})
		}
	}
}

// Where something was done since the answer, or nobody has answered, the run ends and no
// more.
func TestNothingToGiveBack(t *testing.T) {
	fails := func(context.Context) (int, error) { return 0, notBegun() }
	works := func(context.Context) (int, error) { return 1, nil }
	for name, test := range map[string]struct {
		asks bool
		mode runner.Mode
		then func(ctx context.Context, run *adapter.Run) error
	}{
		"no answer": {then: func(ctx context.Context, run *adapter.Run) error { return inStep(ctx, run, fails) }},
		"a step that was recorded": {asks: true, then: func(ctx context.Context, run *adapter.Run) error {
			if err := inStep(ctx, run, works); err != nil {
				return err
			}
			return inStep(ctx, run, fails)
		}},
		"a branch": {asks: true, then: func(ctx context.Context, run *adapter.Run) error {
			return adapter.Parallel(ctx, run, func(ctx context.Context, run *adapter.Run) error { return inStep(ctx, run, fails) })
		}},
		"a goroutine that is gone": {asks: true, mode: runner.ModeBlocking, then: func(ctx context.Context, run *adapter.Run) error {
			return inStep(ctx, run, fails)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
				if test.asks {
					if _, err := run.Ask(ctx, plainAnswer); err != nil {
						return err
					}
				}
				return test.then(ctx, run)
			}), func(o *runner.Options) { o.Mode = test.mode })
			events := l.say("hi")
			if test.asks {
				events = l.answer(resolved(interrupts(t, events)[0].ID, "true"))
			}
			failedWith(t, events, unreachable)
			if got := l.openNow(); len(got) > 0 {
				t.Errorf("open: %s", got)
			}
		})
	}
}

// A worker that takes over gives back over what the lost one has started and noted.
func TestGiveBackAfterTakeover(t *testing.T) {
	var dying *cutStore
	var calls atomic.Int32
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, plainAnswer); err != nil {
			return err
		}
		return run.Delegate("helper", "", func(string) error {
			_, err := adapter.StepWith(ctx, run, "resume", adapter.StepOptions{Idempotent: true, Input: "this"}, func(context.Context) (int, error) {
				switch calls.Add(1) {
				case 1:
					dying.sever()
					return 1, nil
				case 2:
					return 0, notBegun()
				}
				return 1, nil
			})
			return err
		})
	})
	l := newLab(t, agent)
	dying = l.cutAfter(l.store, -1)
	w := l.worker(dying, agent)
	l.beginOn(w, "hi", "run-0")
	open := interrupts(t, l.untilEnd())[0].ID
	in := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "answer", Resume: []protocol.ResumeEntry{resolved(open, `true`)}}
	if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%s %v", a.Disposition, err)
	}
	failedWith(t, l.untilEnd(), unreachable)
	if got := l.openNow(); !slices.Equal(got, []string{open}) {
		t.Fatalf("open: %s", got)
	}
	succeeded(t, l.answer(resolved(open, "true")))
	l.wellFormed()
	if n := calls.Load(); n != 3 {
		t.Errorf("%d calls", n)
	}
}

// When the worker dies between the step's failing and the run's end nobody knows that the
// step had no effect, and a human is asked. That question is given back as all are.
func TestGiveBackThatIsLost(t *testing.T) {
	var fails atomic.Bool
	fails.Store(true)
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, plainAnswer); err != nil {
			return err
		}
		return inStep(ctx, run, func(context.Context) (int, error) {
			if fails.Load() {
				return 0, notBegun()
			}
			return 1, nil
		})
	})
	l := newLab(t, agent)
	open := interrupts(t, l.say("hi"))[0].ID
	w := l.worker(l.cutBefore(l.store, protocol.TypeRunError), agent)
	in := &protocol.RunAgentInput{ThreadID: l.key.Thread, RunID: "answer", Resume: []protocol.ResumeEntry{resolved(open, `true`)}}
	if a, err := w.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Run: in}); err != nil || a.Disposition != admission.Started {
		t.Fatalf("%s %v", a.Disposition, err)
	}
	asked := interrupts(t, l.untilEnd())
	if len(asked) != 1 || asked[0].Reason != adapter.ReasonUncertainStep {
		t.Fatalf("asked %+v", asked)
	}
	rerun := resolved(asked[0].ID, `{"action":"rerun"}`)
	failedWith(t, l.answer(rerun), unreachable)
	if got := l.openNow(); !slices.Equal(got, []string{asked[0].ID}) {
		t.Fatalf("open: %s", got)
	}
	fails.Store(false)
	succeeded(t, l.answer(rerun))
	l.wellFormed()
}
