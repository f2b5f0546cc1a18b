package adapter_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// What a run has used is told where it ends, however it does.
func TestUsageIsTold(t *testing.T) {
	ten, bad := int64(10), int64(-1)
	l := newLab(t, adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Usage(protocol.TokenUsage{InputTokens: &bad}); err == nil {
			t.Error("what cannot be encoded is taken")
		}
		for range 2 {
			if err := run.Usage(protocol.TokenUsage{Model: run.LatestInput().RunID, InputTokens: &ten}); err != nil {
				return err
			}
		}
		yes, err := run.Confirm(ctx, "Go on?")
		if err != nil {
			return err
		}
		if err := run.Usage(protocol.TokenUsage{Model: run.LatestInput().RunID, InputTokens: &ten}); err != nil || yes {
			return err
		}
		return &adapter.UserError{Message: "no"}
	}))
	told := func(e protocol.Event) {
		t.Helper()
		var used []protocol.TokenUsage
		switch e := e.(type) {
		case *protocol.RunFinished:
			used = e.Usage
		case *protocol.RunError:
			used = e.Usage
		}
		if want := fmt.Sprintf("run-%d", l.runs); len(used) != 1 || used[0].Model != want || used[0].InputTokens == nil || *used[0].InputTokens != 10 {
			t.Errorf("%s told %+v, want that of %s", e.Type(), used, want)
		}
	}
	for _, payload := range []string{`{"approved":true}`, `{"approved":false}`} {
		asks := l.say("hi " + payload)
		told(asks[len(asks)-1])
		ends := l.answer(resolved(interrupts(t, asks)[0].ID, payload))
		told(ends[len(ends)-1])
	}
}
