package server

import (
	"context"
	"testing"

	"github.com/aguiws/aguiws/adapter"
	"github.com/aguiws/aguiws/adapter/admission"
	"github.com/aguiws/aguiws/adapter/runner"
	"github.com/aguiws/aguiws/protocol"
)

// An input that waits behind a question and is superseded ends for its sender at
// once, and is no end of the question.
func TestEndToEndSupersededUnderAQuestion(t *testing.T) {
	ask := make(chan struct{})
	store := embedded(t)
	r, err := runner.New(store, &runner.Options{Agents: map[string]adapter.Agent{"": adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		select {
		case <-ask:
		case <-ctx.Done():
		}
		_, err := run.Ask(ctx, protocol.Interrupt{Reason: protocol.ReasonConfirmation, Message: "Really?"})
		return err
	})}})
	if err != nil {
		t.Fatal(err)
	}
	ts := newTestServer(t, running(r), nil)
	first, sender := newTab(ts.dial()), newTab(ts.dial())
	sender.follow("t")
	first.send(says("r1", "hi"))
	sender.next() // the run has begun
	sender.send(says("r2", "and then?"))
	if f := sender.expect("ws.run"); f["disposition"] != "queued" {
		t.Fatalf("got %v", f)
	}
	close(ask)
	interrupts(t, first.until())
	interrupts(t, sender.until())
	if i, err := r.StopAll(context.Background(), localThread, "enough", admission.Actor{}); err != nil || len(i.Superseded) != 1 {
		t.Fatalf("%+v, %v", i, err)
	}
	end, ok := sender.until().(*protocol.RunFinished)
	if !ok || end.RunID != "r2" || end.Outcome == nil || end.Outcome.Type != protocol.OutcomeCancelled {
		t.Errorf("its sender got %s", encoded(t, end))
	}
	if end, ok := first.until().(*protocol.RunFinished); !ok || end.Outcome == nil || end.Outcome.Type != protocol.OutcomeCancelled {
		t.Errorf("who follows got %s", encoded(t, end))
	}
}
