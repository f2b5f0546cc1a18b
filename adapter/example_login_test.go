package adapter_test

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
)

// An agent that uses its user's account at another service.
func ExampleRun_Login() {
	use := func(context.Context, string) error { return nil }
	_ = adapter.AgentFunc(func(ctx context.Context, run *adapter.Run) error {
		account, err := run.Login(ctx, "github", "repo")
		if errors.Is(err, adapter.ErrLoginDeclined) {
			return run.Say("Then I go on without.")
		}
		if err != nil {
			return err
		}
		_, err = adapter.Step(ctx, run, "use", func(ctx context.Context) (bool, error) {
			token, err := account.Token(ctx) // renewed if need be
			if err != nil {
				return false, err
			}
			return true, use(ctx, token.Header())
		})
		return err
	})
}
