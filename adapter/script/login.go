package script

import (
	"context"
	"errors"
	"strings"

	"github.com/aguiws/aguiws/adapter"
)

// login asks for an account and gets its token. It tells nobody the token.
func (a *agent) login(ctx context.Context, run *adapter.Run, argument string) error {
	words := strings.Fields(argument)
	if len(words) == 0 {
		return stream(run, "Usage: /login PROVIDER SCOPES.")
	}
	account, err := run.Login(ctx, words[0], words[1:]...)
	var failed *adapter.StepError
	switch {
	case errors.Is(err, adapter.ErrLoginDeclined):
		return stream(run, "You have not signed in at "+words[0]+", so I go on without.")
	case errors.Is(err, adapter.ErrLoginExpired):
		return stream(run, "Nobody signed in at "+words[0]+" in time.")
	case errors.As(err, &failed):
		return stream(run, "I cannot sign in: "+failed.Message)
	case err != nil:
		return err
	}
	got, err := adapter.StepWith(ctx, run, "token", adapter.StepOptions{Idempotent: true}, func(ctx context.Context) (bool, error) {
		token, err := account.Token(ctx)
		return token.Access != "", err
	})
	switch {
	case errors.As(err, &failed):
		return stream(run, "The account at "+words[0]+" cannot be used: "+failed.Message)
	case err != nil:
		return err
	case !got:
		return stream(run, "The account at "+words[0]+" has no token.")
	}
	return stream(run, "I can use your account at "+words[0]+".")
}
