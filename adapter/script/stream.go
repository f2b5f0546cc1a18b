package script

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// The bounds of /slow: it is reachable by whoever may chat.
const (
	maxDeltas = 10_000
	maxPause  = time.Minute
)

func (a *agent) say(_ context.Context, run *adapter.Run, text string) error {
	return stream(run, text)
}

func (a *agent) slow(ctx context.Context, run *adapter.Run, argument string) error {
	var n, ms int
	if _, err := fmt.Sscan(argument, &n, &ms); err != nil || n < 0 || ms < 0 || n > maxDeltas || time.Duration(ms)*time.Millisecond > maxPause {
		return stream(run, "Usage: /slow N MS, with N up to 10000 deltas, up to 60000 milliseconds apart.")
	}
	t, err := run.Text()
	if err != nil {
		return err
	}
	for i := range n {
		if i > 0 {
			if err := pause(ctx, time.Duration(ms)*time.Millisecond); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(t, "%d ", i+1); err != nil {
			return err
		}
	}
	return t.Close()
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *agent) fail(_ context.Context, _ *adapter.Run, text string) error {
	if text == "" {
		text = "failed as asked"
	}
	return &adapter.UserError{Message: text}
}

func (a *agent) panic(context.Context, *adapter.Run, string) error {
	panic("as asked")
}

func (a *agent) state(_ context.Context, run *adapter.Run, argument string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal([]byte(argument), &object); err != nil || object == nil {
		return stream(run, "Usage: /state JSON, with a JSON object.")
	}
	if err := run.SetState(json.RawMessage(argument)); err != nil {
		return err
	}
	if err := run.PatchState(json.RawMessage(`[{"op":"add","path":"/steps","value":["snapshot","delta"]}]`)); err != nil {
		return err
	}
	return stream(run, "The state is set.")
}
