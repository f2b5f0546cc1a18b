package adapter_test

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// An agent reminds a customer after three days, unless somebody has stopped the wait.
func ExampleRun_Sleep() {
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		if err := run.Say("I have sent the invoice."); err != nil {
			return err
		}
		switch err := run.Sleep(ctx, run.Now().Add(72*time.Hour)); {
		case errors.Is(err, adapter.ErrWaitCancelled):
			return run.Say("I do not remind anybody.")
		case err != nil:
			return err // suspended: nothing of the run stays in memory
		}
		_, err := adapter.Step(ctx, run, "remind", func(context.Context) (bool, error) {
			return true, nil // a mail would be sent here
		})
		return err
	})
	_ = agent
}
