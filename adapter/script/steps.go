package script

import (
	"context"
	"fmt"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// maxSteps bounds what one command makes the journal hold.
const maxSteps = 1000

// steps goes through steps, and between them heeds what is sent to join the run.
func (a *agent) steps(ctx context.Context, run *adapter.Run, argument string) error {
	var n, ms int
	if _, err := fmt.Sscan(argument, &n, &ms); err != nil || n < 0 || ms < 0 || n > maxSteps || time.Duration(ms)*time.Millisecond > maxPause {
		return stream(run, "Usage: /steps N MS, with N up to 1000 steps of up to 60000 milliseconds.")
	}
	for i := range n {
		if _, err := adapter.StepWith(ctx, run, "step", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (int, error) {
			return i, pause(ctx, time.Duration(ms)*time.Millisecond)
		}); err != nil {
			return err
		}
		joined, err := run.Injected(ctx)
		if err != nil {
			return err
		}
		for _, m := range joined {
			if err := stream(run, fmt.Sprintf("After step %d I was told: %s", i+1, m.Content)); err != nil {
				return err
			}
		}
	}
	return stream(run, fmt.Sprintf("All %d steps are done.", n))
}
