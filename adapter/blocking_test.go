package adapter_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

func blocking(o *runner.Options) { o.Mode = runner.ModeBlocking }

// An agent that could not be replayed, because it counts what it does outside
// of steps, is called once and goes on where it waited.
func TestBlockingAgentIsCalledOnce(t *testing.T) {
	var calls atomic.Int64
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		calls.Add(1)
		text, err := run.Text()
		if err != nil {
			return err
		}
		fmt.Fprint(text, "before ")
		for i := range 2 {
			got, err := run.Ask(ctx, confirmation(fmt.Sprint("question ", i)))
			if err != nil {
				return err
			}
			done, err := adapter.Step(ctx, run, "work", func(context.Context) (int, error) { return i + 1, nil })
			if err != nil {
				return err
			}
			payload, _ := got.Of[0].Payload()
			fmt.Fprintf(text, "%s %d ", payload, done)
		}
		return text.Close()
	}), blocking)
	open := interrupts(t, l.say("hi"))
	open = interrupts(t, l.answer(resolved(open[0].ID, `"one"`)))
	end := l.answer(resolved(open[0].ID, `"two"`))
	succeeded(t, end)
	l.wellFormed()
	if got := calls.Load(); got != 1 {
		t.Errorf("called %d times", got)
	}
	if got := l.texts(); !slices.Equal(got, []string{`before "one" 1 "two" 2 `}) {
		t.Errorf("said %q", got)
	}
}

// Tools that need approval run with the arguments that were approved.
func TestBlockingToolCall(t *testing.T) {
	var ran []string
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Args: rawJSON(`{"amount":1}`),
			Do: func(_ context.Context, call adapter.Invocation) (rawJSON, error) {
				ran = append(ran, string(call.Args))
				return rawJSON("1"), nil
			}})
		return err
	}), blocking)
	open := interrupts(t, l.say("hi"))
	succeeded(t, l.answer(resolved(open[0].ID, `{"approved":true,"editedArgs":{"amount":2}}`)))
	l.wellFormed()
	if !slices.Equal(ran, []string{`{"amount":2}`}) {
		t.Errorf("ran with %q", ran)
	}
}

// What waited in a process that is gone cannot be continued, and says so.
func TestBlockingAgentDiesWithItsProcess(t *testing.T) {
	l := newLab(t, asker(confirmation("?")), blocking)
	open := interrupts(t, l.say("hi"))
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	l.replace(asker(confirmation("?")), blocking)
	failed := failedWith(t, l.answer(resolved(open[0].ID, "1")), adapter.CodeWorkerLost)
	if !strings.Contains(failed.Message, "process") {
		t.Errorf("message %q", failed.Message)
	}
	interrupts(t, l.say("next"))
	l.wellFormed()
}

// Steering away ends the goroutine that waits; a shutdown ends all of them.
func TestBlockingGoroutineEnds(t *testing.T) {
	over := make(chan error, 2)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		_, err := run.Ask(ctx, confirmation("?"))
		over <- err
		return err
	}), blocking)
	open := interrupts(t, l.say("hi"))
	in := user("something else")
	in.Resume = []protocol.ResumeEntry{cancelled(open[0].ID)}
	l.submit(in)
	interrupts(t, l.untilEnd())
	if err := await(l, over); err == nil {
		t.Error("the agent that was left has no error")
	}
	began := time.Now()
	if err := l.runner.Shutdown(l.ctx()); err != nil {
		t.Fatal(err)
	}
	if err := await(l, over); err == nil {
		t.Error("the agent that waited has no error")
	}
	if took := time.Since(began); took > patience/2 {
		t.Errorf("the shutdown took %s", took)
	}
}

func TestBlockingRunIsCancelled(t *testing.T) {
	over := make(chan error, 1)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, confirmation("?")); err != nil {
			return err
		}
		if err := run.Say("on"); err != nil {
			return err
		}
		<-ctx.Done()
		over <- context.Cause(ctx)
		return context.Cause(ctx)
	}), blocking)
	open := interrupts(t, l.say("hi"))
	l.submit(&protocol.RunAgentInput{RunID: "resume", Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
	l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	if c, err := l.runner.Cancel(l.ctx(), l.key, "resume", admission.Actor{}); err != nil || !c.Stopped {
		t.Fatalf("%+v %v", c, err)
	}
	l.untilEnd()
	if err := await(l, over); err == nil {
		t.Error("the agent's context has no cause")
	}
	l.wellFormed()
}

// lasting says that it outlives the process.
type lasting struct{ store.Store }

func (lasting) Durable() bool { return true }

// What waits in a process ends with it, whatever the store is.
func TestBlockingIsNotDurable(t *testing.T) {
	for _, mode := range []runner.Mode{runner.ModeBlocking, runner.ModeAuto} {
		l := newLabOn(t, func(s store.Store) store.Store { return lasting{s} }, stepper(nil), func(o *runner.Options) { o.Mode = mode })
		if l.runner.Durable() != (mode == runner.ModeAuto) {
			t.Errorf("%q: durable is %t", mode, l.runner.Durable())
		}
	}
}
