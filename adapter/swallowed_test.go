package adapter_test

import (
	"context"
	"errors"
	"log"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/operate"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// Whatever suspends a run, an agent that does not return its error and goes on is named
// in the log: what it does then was answered by nobody.
func TestSwallowedSuspensionIsLogged(t *testing.T) {
	asks := map[string]func(context.Context, *adapter.Run) error{
		"Ask": func(ctx context.Context, run *adapter.Run) error {
			_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "Sure?"})
			return err
		},
		"Confirm": func(ctx context.Context, run *adapter.Run) error {
			_, err := run.Confirm(ctx, "Sure?")
			return err
		},
		"CallTools": func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.CallTools(ctx, run, adapter.ToolCall{Name: "pay", Policy: adapter.PolicyAsk})
			return err
		},
		"Login": func(ctx context.Context, run *adapter.Run) error {
			_, err := run.Login(ctx, "git", "repo")
			return err
		},
		"Step, uncertain": func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "pay", func(context.Context) (int, error) {
				return 0, &adapter.UncertainError{Message: "the line is dead"}
			})
			return err
		},
		"Step, paused": func(ctx context.Context, run *adapter.Run) error {
			pause(ctx)
			if _, err := adapter.StepWith(ctx, run, "one", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil }); err != nil {
				return err
			}
			_, err := adapter.StepWith(ctx, run, "two", adapter.StepOptions{Idempotent: true}, func(context.Context) (int, error) { return 1, nil })
			return err
		},
	}
	for name, goOn := range map[string]struct {
		with func(ctx context.Context, run *adapter.Run, asked error) error
		logs bool
	}{
		"returns it":      {func(_ context.Context, _ *adapter.Run, asked error) error { return asked }, false},
		"returns it late": {func(_ context.Context, run *adapter.Run, asked error) error { return errors.Join(run.Say("x"), asked) }, false},
		"nothing":         {func(context.Context, *adapter.Run, error) error { return nil }, true},
		"says":            {func(_ context.Context, run *adapter.Run, _ error) error { return run.Say("declined") }, true},
		"steps": {func(ctx context.Context, run *adapter.Run, _ error) error {
			_, err := adapter.Step(ctx, run, "s", func(context.Context) (int, error) { t.Error("the step ran"); return 1, nil })
			return err
		}, true},
		"asks": {func(ctx context.Context, run *adapter.Run, _ error) error {
			_, err := run.Confirm(ctx, "Really?")
			return err
		}, true},
		"delegates": {func(_ context.Context, run *adapter.Run, _ error) error {
			return run.Delegate("helper", "helps", func(string) error { return nil })
		}, true},
		"branches": {func(ctx context.Context, run *adapter.Run, _ error) error {
			return adapter.Parallel(ctx, run, func(context.Context, *adapter.Run) error { return nil })
		}, true},
		"fails":  {func(context.Context, *adapter.Run, error) error { return errors.New("no answer") }, true},
		"panics": {func(context.Context, *adapter.Run, error) error { panic("no answer") }, true},
	} {
		for kind, ask := range asks {
			t.Run(name+"/"+kind, func(t *testing.T) {
				var said logged
				var l *lab
				agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
					return goOn.with(ctx, run, ask(context.WithValue(ctx, labKey{}, l), run))
				})
				l = newLab(t, agent, func(o *runner.Options) {
					o.Logins, o.Logger = &accounts{}, slog.New(slog.NewTextHandler(&said, nil))
				})
				interrupts(t, l.say("hi"))
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				defer cancel()
				if err := l.runner.Shutdown(ctx); err != nil { // the agent has returned then
					t.Fatal(err)
				}
				if got := strings.Contains(said.String(), "level=WARN") && strings.Contains(said.String(), "did not return the error"); got != goOn.logs {
					t.Errorf("the log has %q", said.String())
				}
				if strings.Contains("fails panics", name) && !strings.Contains(said.String(), "no answer") {
					t.Errorf("the log does not say what was returned: %q", said.String())
				}
			})
		}
	}
}

type labKey struct{}

// pause has an operator pause the run of a lab's agent.
func pause(ctx context.Context) {
	l := ctx.Value(labKey{}).(*lab)
	if _, err := l.runner.Pause(l.ctx(), l.key, operate.PauseOptions{}); err != nil {
		l.t.Error(err)
	}
}

// An agent's failure can be read where nobody has thought of a log.
func TestFailuresAreLoggedByDefault(t *testing.T) {
	var said logged
	before, to, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(to)
		log.SetFlags(flags)
	})
	for name, fails := range map[string]adapter.AgentFunc{
		"the engine is on fire": func(context.Context, *adapter.Run) error { return errors.New("the engine is on fire") },
		"a wing is off":         func(context.Context, *adapter.Run) error { panic("a wing is off") },
	} {
		newLab(t, fails, func(o *runner.Options) { o.Logger = nil }).say("hi")
		if !strings.Contains(said.take(), name) {
			t.Errorf("the log has nothing of %q", name)
		}
	}
}
