package server

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/protocol"
)

// The repeat of a run that was interrupted, while the run that continues it is
// under way, is answered by that one: its end is the end of what was asked.
func TestEndToEndRepeatOfAContinuedRun(t *testing.T) {
	goOn := make(chan struct{})
	ts := node(t, embedded(t), adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if _, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation}); err != nil {
			return err
		}
		if err := run.Say("Going on."); err != nil {
			return err
		}
		<-goOn
		return run.Say("Done.")
	}))
	one := newTab(ts.dial())
	id := interrupts(t, one.ask("r1", "go"))[0]
	one.send(resumes("r2", resolved(id, `{}`)))
	one.begun()

	two := newTab(ts.dial())
	two.send(says("r1", "go"))
	if e, ok := two.next().(*protocol.RunStarted); !ok || e.RunID != "r1" {
		t.Errorf("it is restated as %s", encoded(t, e))
	}
	if runs := two.take("ws.run"); len(runs) != 1 || runs[0]["disposition"] != "repeat" || runs[0]["of"] != "r2" {
		t.Errorf("got %v", runs)
	}
	plain := ts.connect("/agui/ws", plainMode)
	plain.send(says("r1", "go"))
	plain.expect("RUN_STARTED")
	close(goOn)
	for frame := plain.expectAny(); frame["type"] != "RUN_ERROR"; frame = plain.expectAny() {
		if frame["type"] == "RUN_FINISHED" {
			if frame["runId"] != "r1" {
				t.Errorf("it ended as %v", frame)
			}
			break
		}
	}
	for ended := false; !ended; {
		frame := two.expectAny()
		if ended = frame["type"] == "RUN_FINISHED"; ended && frame["runId"] != "r2" {
			t.Errorf("it ended as %v", frame)
		}
	}
	wantSuccess(t, one.until())
}
