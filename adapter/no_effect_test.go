package adapter_test

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// An agent that emits what has no effect fills no log with it.
func TestEventsWithoutEffectAreLoggedOnce(t *testing.T) {
	log := &logged{}
	agent := adapter.AgentFunc(func(_ context.Context, run *adapter.Run) error {
		messages := run.Input().Messages
		for i := range 10 { // of a user's message
			call := run.ClientRunID() + strings.Repeat("c", 1000) + strconv.Itoa(i)
			if err := run.Emit(&protocol.ToolCallStart{ToolCallID: call, ToolCallName: "x", ParentMessageID: &messages[0].ID}, &protocol.ToolCallEnd{ToolCallID: call}); err != nil {
				return err
			}
		}
		return nil
	})
	l := newLab(t, agent, func(o *runner.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) })
	for runs := 1; runs <= 2; runs++ {
		succeeded(t, l.say("go "+strconv.Itoa(runs)))
		if n := log.count("an event has no effect"); n != runs {
			t.Errorf("%d lines after %d runs", n, runs)
		}
	}
	if n := len(log.String()); n > 5000 {
		t.Errorf("the log has %d bytes", n)
	}
}
