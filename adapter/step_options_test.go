package adapter_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/protocol"
)

// openRead has three steps, the second of which goes on with what the first has opened.
func openRead(ctx context.Context, run *adapter.Run, reached chan<- string, goOn <-chan struct{}) error {
	for _, name := range []string{"open", "read", "next"} {
		_, err := adapter.StepWith(ctx, run, name, adapter.StepOptions{KeepOnDrain: name == "read"}, func(context.Context) (bool, error) {
			reached <- name
			<-goOn
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// What nobody else could go on with is not handed back: a step that goes on runs on a
// worker that drains, and the next one is the other worker's.
func TestDrainSparesAStepThatGoesOn(t *testing.T) {
	reached, goOn := make(chan string, 3), make(chan struct{})
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := openRead(ctx, run, reached, goOn); err != nil {
			return err
		}
		return run.Say("done")
	})
	l := newLabOn(t, onDurable, agent)
	l.submit(user("hi"))
	await(l, reached)
	wait := l.drain()
	close(goOn)
	wait()
	if name := await(l, reached); name != "read" || len(reached) != 0 {
		t.Errorf("the draining worker ran %s and %d more", name, len(reached))
	}
	l.replace(agent)
	succeeded(t, l.untilEnd())
	l.wellFormed()
	if name := await(l, reached); name != "next" || len(reached) != 0 {
		t.Errorf("the other worker ran %s and %d more", name, len(reached))
	}
}

// An operator's pause waits for the step behind one that goes on.
func TestPauseSparesAStepThatGoesOn(t *testing.T) {
	reached, goOn := make(chan string, 3), make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		return openRead(ctx, run, reached, goOn)
	}))
	l.submit(user("hi"))
	await(l, reached)
	if active, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || active != operate.PausePending {
		t.Fatal(active, err)
	}
	close(goOn)
	open := interrupts(t, l.untilEnd())
	if name := await(l, reached); name != "read" || len(reached) != 0 {
		t.Errorf("%s ran and %d more", name, len(reached))
	}
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	l.wellFormed()
}

// What comes first is done before anybody knows of the step: who dies in it has begun
// nothing, and a replay does not do it.
func TestFirst(t *testing.T) {
	var dying *cutStore
	var did []string
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.StepWith(ctx, run, "pay", adapter.StepOptions{Before: func(ctx context.Context) error {
			did = append(did, "first")
			if len(did) == 1 {
				dying.sever()
			}
			_, err := adapter.Step(ctx, run, "inside", func(context.Context) (bool, error) { return true, nil })
			if err == nil {
				t.Error("a step began inside")
			}
			return nil
		}}, func(context.Context) (bool, error) {
			did = append(did, "pay")
			return true, nil
		})
		if err != nil {
			return err
		}
		_, err = run.Ask(ctx, confirmation("?"))
		return err
	})
	l := newLab(t, restart{agent})
	dying = l.cutAfter(l.store, -1)
	l.beginOn(l.worker(dying, restart{agent}), "hi", "run-0")
	open := interrupts(t, l.untilEnd())
	if open[0].Reason != protocol.ReasonConfirmation {
		t.Fatalf("asked %+v", open)
	}
	succeeded(t, l.answer(resolved(open[0].ID, "true")))
	l.wellFormed()
	if !slices.Equal(did, []string{"first", "first", "pay"}) {
		t.Errorf("did %q", did)
	}
}

// An error of what comes first leaves no trace of the step.
func TestFirstFails(t *testing.T) {
	busy := errors.New("no place")
	fails := true
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, plainAnswer); err != nil {
			return err
		}
		_, err := adapter.StepWith(ctx, run, "pay", adapter.StepOptions{Before: func(context.Context) error {
			if fails {
				return &adapter.GiveBackError{Code: "busy", Message: "No place.", Err: busy}
			}
			return nil
		}}, func(context.Context) (bool, error) { return true, nil })
		if fails && !errors.Is(err, busy) {
			t.Errorf("%v", err)
		}
		return err
	}))
	open := interrupts(t, l.say("hi"))
	failedWith(t, l.answer(resolved(open[0].ID, "true")), "busy")
	if got := l.openNow(); !slices.Equal(got, []string{open[0].ID}) {
		t.Fatalf("open: %s", got)
	}
	fails = false
	succeeded(t, l.answer(resolved(open[0].ID, "false")))
	l.wellFormed()
}
