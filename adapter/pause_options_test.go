package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/protocol"
)

// pausedRun is a lab whose run is paused, and what people are shown.
func pausedRun(t *testing.T, o operate.PauseOptions) (*lab, chan<- struct{}, protocol.Interrupt) {
	let := make(chan struct{}, 2)
	l := newLab(t, listener(2, let))
	l.submit(user("hi"))
	if state, err := l.runner.Pause(l.ctx(), l.key, o); err != nil || state != operate.PausePending {
		t.Fatal(state, err)
	}
	let <- struct{}{}
	open := interrupts(t, l.untilEnd())
	if state, err := l.runner.Pause(l.ctx(), l.key, o); err != nil || state != operate.PausePaused {
		t.Errorf("paused, and paused again: %q %v", state, err)
	}
	return l, let, open[0]
}

func TestPauseSaysWhy(t *testing.T) {
	_, _, shown := pausedRun(t, operate.PauseOptions{Reason: "safety", Text: "look at the draft"})
	if shown.Message != "The run was paused (safety: look at the draft). Go on?" {
		t.Errorf("%+v", shown)
	}
	if got := string(shown.Metadata["aguiws"]); got != `{"pause":{"reason":"safety","text":"look at the draft"}}` {
		t.Errorf("%s", got)
	}
}

// A pause whose time is over ends as it was asked to.
func TestPauseTimesOut(t *testing.T) {
	for policy, want := range map[operate.OnPauseTimeout]protocol.OutcomeType{
		"": protocol.OutcomeSuccess, operate.PauseGoesOn: protocol.OutcomeSuccess, operate.PauseCancels: protocol.OutcomeCancelled,
	} {
		t.Run(string(policy), func(t *testing.T) {
			l, let, _ := pausedRun(t, operate.PauseOptions{Timeout: time.Minute, OnTimeout: policy})
			let <- struct{}{}
			l.forward(2 * time.Minute)
			if got := outcomeOf(t, l.untilEnd()); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			l.wellFormed()
		})
	}
}

// A run that has ended before it came to a step says that it was not paused.
func TestPauseIsNotMet(t *testing.T) {
	agent := make(chan *adapter.Run, 1)
	say, end := make(chan struct{}), make(chan struct{})
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		agent <- run
		for range 2 {
			<-say
			if err := run.Say("on"); err != nil {
				return err
			}
		}
		<-end
		return nil
	}))
	l.submit(user("hi"))
	await(l, agent)
	if state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || state != operate.PausePending {
		t.Fatal(state, err)
	}
	// A worker is told of the wish by the answer to a commit, which it has had when it commits again.
	for range 2 {
		say <- struct{}{}
		l.until(func(e protocol.Event) bool { return e.Type() == protocol.TypeTextMessageEnd })
	}
	close(end)
	events := l.untilEnd()
	succeeded(t, events)
	var own struct {
		NotPaused string `json:"notPaused"`
	}
	if json.Unmarshal(events[len(events)-1].(*protocol.RunFinished).Metadata["aguiws"], &own) != nil || own.NotPaused == "" {
		t.Errorf("%+v", events[len(events)-1])
	}
}

// unpausable never comes to a step.
type unpausable struct{ adapter.Agent }

func (unpausable) Unpausable() bool { return true }

func TestPauseOfWhatCannotBe(t *testing.T) {
	agent, gate := gated()
	defer close(gate)
	for name, l := range map[string]*lab{
		"by its agent": newLab(t, unpausable{agent}),
		"blocking":     newLab(t, agent, func(o *runner.Options) { o.Mode = runner.ModeBlocking }),
	} {
		t.Run(name, func(t *testing.T) {
			if state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil || state != operate.PauseNothing {
				t.Errorf("at rest: %q %v", state, err)
			}
			l.submit(user("hi"))
			if state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); !errors.Is(err, operate.ErrCannotPause) {
				t.Errorf("%q %v", state, err)
			}
			if thread, err := l.runner.Thread(l.ctx(), l.key); err != nil || thread.Pause != operate.PauseNothing {
				t.Errorf("%+v %v", thread, err)
			}
		})
	}
}

func TestPauseOptionsAreRefused(t *testing.T) {
	l := newLab(t, asker(confirmation("?")))
	for says, o := range map[string]operate.PauseOptions{
		"one of review":   {Reason: "because"},
		"at most 500":     {Text: strings.Repeat("x", 501)},
		"UTF-8":           {Text: "\xff"},
		"be between":      {Timeout: -time.Second},
		"go_on or cancel": {Timeout: time.Second, OnTimeout: "fail"},
		"needs a timeout": {OnTimeout: operate.PauseCancels},
	} {
		if _, err := l.runner.Pause(l.ctx(), l.key, o); !errors.Is(err, operate.ErrPauseOptions) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// Whether a run can be paused is its own agent's to say, also when it has gone on with an answer.
func TestPauseOfARunThatWentOn(t *testing.T) {
	let := make(chan struct{})
	waits := func() adapter.Agent {
		return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
			if _, err := run.Ask(ctx, confirmation("?")); err != nil {
				return err
			}
			select {
			case <-let:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
	}
	for name, tt := range map[string]struct {
		first, other adapter.Agent
		want         error
	}{
		"it can, and the default agent's cannot": {unpausable{waits()}, waits(), nil},
		"it cannot, and the default agent's can": {waits(), unpausable{waits()}, operate.ErrCannotPause},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, tt.first, func(o *runner.Options) { o.Agents["other"] = tt.other })
			in := user("hi")
			in.ThreadID, in.RunID = l.key.Thread, "r"
			if a, err := l.runner.Submit(l.ctx(), admission.Input{Namespace: l.key.Namespace, Agent: "other", Run: in}); err != nil || a.Disposition != admission.Started {
				t.Fatalf("%+v %v", a, err)
			}
			open := interrupts(t, l.untilEnd())
			l.submit(&protocol.RunAgentInput{Resume: []protocol.ResumeEntry{resolved(open[0].ID, "1")}})
			if state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); !errors.Is(err, tt.want) {
				t.Errorf("%q %v", state, err)
			}
			if _, err := l.runner.StopAll(l.ctx(), l.key, "over", admission.Actor{}); err != nil {
				t.Fatal(err)
			}
			l.untilEnd()
		})
	}
}

// What is said of a pause does not depend on how much its thread holds.
func TestPauseOfALargeThread(t *testing.T) {
	let := make(chan struct{}, 2)
	l := newLab(t, listener(2, let))
	in := user("hi")
	in.Messages[0].Content = protocol.Text(strings.Repeat("long ", 1<<16))
	l.begins(in)
	pause := func() operate.PauseState {
		t.Helper()
		state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return state
	}
	if state := pause(); state != operate.PausePending {
		t.Errorf("%q", state)
	}
	let <- struct{}{}
	interrupts(t, l.untilEnd())
	if state := pause(); state != operate.PausePaused {
		t.Errorf("paused, and paused again: %q", state)
	}
}

// Who goes on with a paused run is on record, and what went along with that request goes to the run.
func TestWhoGoesOnIsOnRecord(t *testing.T) {
	let := make(chan struct{}, 2)
	seen := make(chan map[string]string, 2)
	agent := listener(2, let)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		seen <- run.Headers()
		return agent.Run(ctx, run)
	}))
	l.submit(user("hi"))
	await(l, seen)
	if state, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{Reason: "safety"}); err != nil || state != operate.PausePending {
		t.Fatal(state, err)
	}
	let <- struct{}{}
	interrupts(t, l.untilEnd())
	from := store.Origin{Through: store.ThroughOperator, Credential: "token-of-bob"}
	if ok, err := l.runner.Unpause(l.ctx(), l.key, "acme", bob, "unpause", from, map[string]string{"X-Who": "bob"}); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if got := <-seen; got["x-who"] != "bob" {
		t.Errorf("told %v", got)
	}
	let <- struct{}{}
	succeeded(t, l.untilEnd())
	if list := l.decisions(); len(list) != 1 || list[0].User != bob || list[0].Origin != from {
		t.Errorf("%+v", list)
	}
}
