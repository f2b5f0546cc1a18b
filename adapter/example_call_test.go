package adapter_test

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
)

// A lead has a writer write, who may ask people before it is done.
func ExampleRun_Call() {
	lead := adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		text, err := run.Call(ctx, "writer", adapter.CallInput{Text: "Write about the flowers."})
		var failed *adapter.CallError
		switch {
		case errors.As(err, &failed):
			return run.Say("There is no text: the writer was " + string(failed.Status) + ".")
		case err != nil:
			return err // suspended: nothing of the run stays in memory
		}
		return run.Say(text.Text)
	})
	_ = lead
}
