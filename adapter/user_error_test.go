package adapter_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// telling is an agent whose every error is for its users.
func telling(a adapter.Agent) adapter.Agent {
	return adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		err := a.Run(ctx, run)
		if err == nil {
			return nil
		}
		return &adapter.UserError{Message: err.Error(), Err: err}
	})
}

// What an agent's error says is for the log, unless it says that it is for users.
func TestAgentsErrorIsTheAgents(t *testing.T) {
	secret := errors.New("dial db-7.internal: secret")
	long := errors.New(strings.Repeat("x", 1<<20) + "the end")
	for name, test := range map[string]struct {
		fail func(ctx context.Context, run *adapter.Run) error
		told string // part of the message; the run's id follows "by the run"
		logs string
	}{
		"plain": {func(context.Context, *adapter.Run) error { return secret }, "the agent failed: the server's log says why, by the run ", "db-7.internal"},
		"of a step": {func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "s", func(context.Context) (int, error) { return 0, secret })
			return err
		}, "by the run ", "db-7.internal"},
		"for users within a step": {func(ctx context.Context, run *adapter.Run) error {
			_, err := adapter.Step(ctx, run, "s", func(context.Context) (int, error) {
				return 0, &adapter.UserError{Message: "Not now.", Err: secret}
			})
			return err
		}, "by the run ", "db-7.internal"},
		"around an order": {func(_ context.Context, run *adapter.Run) error {
			return fmt.Errorf("secret: %w", run.Emit(&protocol.TextMessageContent{MessageID: "never", Delta: "x"}))
		}, "breaks not-open: ", "secret"},
		"for users": {func(context.Context, *adapter.Run) error { return &adapter.UserError{Message: "Not now.", Err: secret} }, "Not now.", "db-7.internal"},
		"for users, wrapped": {func(context.Context, *adapter.Run) error {
			return fmt.Errorf("secret: %w", &adapter.UserError{Message: "Not now."})
		}, "Not now.", ""},
		"long": {func(context.Context, *adapter.Run) error { return long }, "by the run ", "bytes=1048583"},
		"of a subagent": {func(_ context.Context, run *adapter.Run) error {
			return run.Delegate("helper", "helps", func(string) error { return secret })
		}, "by the run ", "db-7.internal"},
		"of a subagent, for users": {func(_ context.Context, run *adapter.Run) error {
			return run.Delegate("helper", "helps", func(string) error { return &adapter.UserError{Message: "Not now.", Err: secret} })
		}, "Not now.", "db-7.internal"},
	} {
		t.Run(name, func(t *testing.T) {
			var log logged
			l := newLab(t, adapter.AgentFunc(test.fail), func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			events := l.say("hi")
			e := events[len(events)-1].(*protocol.RunError)
			if !strings.Contains(e.Message, test.told) {
				t.Errorf("clients are told %q, want %q", e.Message, test.told)
			}
			for _, event := range events {
				text, err := protocol.Encode(event)
				if err != nil {
					t.Fatal(err)
				}
				for _, mine := range []string{"secret", "internal", "adapter:", "protocol:", "xxxx"} {
					if bytes.Contains(text, []byte(mine)) {
						t.Errorf("clients are told %.200s", text)
					}
				}
			}
			_, run, byRun := strings.Cut(e.Message, "by the run ")
			if said := log.String(); !strings.Contains(said, test.logs) || byRun && !strings.Contains(said, "dispatch="+run) || len(said) > 8<<10 || strings.Contains(said, "Not now") && test.logs == "" {
				t.Errorf("the log has %.2000s, want %q", said, test.logs)
			}
			l.wellFormed()
		})
	}
}
