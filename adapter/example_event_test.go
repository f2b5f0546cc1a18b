package adapter_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/aguiws/aguiws/adapter"
)

// An agent orders a report from a service that posts it to a URL when it is made, and waits
// a day for it.
func ExampleRun_Event() {
	schema := json.RawMessage(`{"type":"object","properties":{"pages":{"type":"integer"}},"required":["pages"]}`)
	order := func(_ context.Context, form url.Values) (bool, error) { return true, nil } // a service would be called here
	agent := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		report, err := run.Event(ctx, "report", schema)
		if err != nil {
			return err
		}
		if _, err := adapter.Step(ctx, run, "order", func(ctx context.Context) (bool, error) {
			return order(ctx, url.Values{"callback": {report.URL}})
		}); err != nil {
			return err
		}
		switch payload, err := report.Wait(ctx, run.Now().Add(24*time.Hour)); {
		case errors.Is(err, adapter.ErrEventExpired):
			return run.Say("The report has not come.")
		case errors.Is(err, adapter.ErrWaitCancelled):
			return run.Say("I do not wait for the report any more.")
		case err != nil:
			return err // suspended: nothing of the run stays in memory
		default:
			return run.Say("The report is there: " + string(payload))
		}
	})
	_ = agent
}
