package adapter

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/aguiws/aguiws/protocol"
)

// Cancelled answers Cancel.
type Cancelled struct {
	Stopped bool
	// Owed are uncounted events for the sender of an input that was stopped
	// while it waited in the queue.
	Owed [][]byte
}

// supersede stops all that is under way on the thread.
func (r *Runner) supersede(ctx context.Context, view *ThreadView, key ThreadKey) error {
	var labels []string
	for _, q := range slices.Backward(view.Queue) {
		var waiting queuedInput
		var input protocol.RunAgentInput
		if json.Unmarshal(q.Input, &waiting) == nil && json.Unmarshal(waiting.Input, &input) == nil {
			labels = append(labels, input.RunID)
		}
	}
	if view.Active != nil {
		record, err := readRecord(view.Active)
		if err != nil {
			return err
		}
		labels = append(labels, record.Label)
	}
	for _, label := range labels {
		if _, err := r.Cancel(ctx, key, label); err != nil {
			return err
		}
	}
	return nil
}

func cancelledEvent(key ThreadKey, label string) protocol.Event {
	return &protocol.RunFinished{ThreadID: key.Thread, RunID: label, Outcome: &protocol.RunOutcome{Type: protocol.OutcomeCancelled}}
}

// Cancel stops the latest run under the label that has not ended (ws.cancel).
func (r *Runner) Cancel(ctx context.Context, key ThreadKey, label string) (Cancelled, error) {
	terminal, err := protocol.Encode(cancelledEvent(key, label))
	if err != nil {
		return Cancelled{}, err
	}
	return r.stop(ctx, key, label, terminal)
}

// stop ends the latest run under the label that has not ended.
func (r *Runner) stop(ctx context.Context, key ThreadKey, label string, terminal []byte) (Cancelled, error) {
	s := Stop{Thread: key, Request: uuid.NewString(), Label: label, Terminal: terminal}
	result, err := again(ctx, func() (StopResult, error) { return r.store.Stop(ctx, s) })
	if err != nil {
		return Cancelled{}, err
	}
	if result.Stopped && !result.Queued {
		r.fence(result.RunID)
	}
	if result.Ready {
		r.claimLater(key)
	}
	return Cancelled{Stopped: result.Stopped, Owed: result.Events}, nil
}
