package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/aguiws/aguiws/adapter"
)

// Storm runs the invariants' tests alone, on stores that may leave the outcome
// of a call unknown as often as they like: each call is sent again, as it was,
// until it is answered.
func Storm(t *testing.T, open Open) {
	for _, tt := range invariantTests {
		t.Run(tt.name, func(t *testing.T) {
			tt.run(newEnv(t, func(t testing.TB, n Node) adapter.Store { return persistent{open(t, n)} }))
		})
	}
}

// persistent sends calls again. It changes no method that cannot fail.
type persistent struct{ adapter.Store }

func again[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if !errors.Is(err, adapter.ErrOutcomeUnknown) || errors.Is(err, context.Canceled) {
			return v, err
		}
	}
}

func (p persistent) Read(ctx context.Context, key adapter.ThreadKey, q adapter.ReadQuery) (*adapter.ThreadView, error) {
	return again(func() (*adapter.ThreadView, error) { return p.Store.Read(ctx, key, q) })
}

func (p persistent) Begin(ctx context.Context, b adapter.Begin) (adapter.BeginResult, error) {
	return again(func() (adapter.BeginResult, error) { return p.Store.Begin(ctx, b) })
}

func (p persistent) Stop(ctx context.Context, s adapter.Stop) (adapter.StopResult, error) {
	return again(func() (adapter.StopResult, error) { return p.Store.Stop(ctx, s) })
}

func (p persistent) Claim(ctx context.Context, c adapter.ClaimRequest) (adapter.ClaimResult, error) {
	return again(func() (adapter.ClaimResult, error) { return p.Store.Claim(ctx, c) })
}

func (p persistent) Activate(ctx context.Context, a adapter.Activation) (adapter.CommitResult, error) {
	return again(func() (adapter.CommitResult, error) { return p.Store.Activate(ctx, a) })
}

func (p persistent) Commit(ctx context.Context, b adapter.Batch) (adapter.CommitResult, error) {
	return again(func() (adapter.CommitResult, error) { return p.Store.Commit(ctx, b) })
}

func (p persistent) HandBack(ctx context.Context, c adapter.Claim) error {
	_, err := again(func() (bool, error) { return true, p.Store.HandBack(ctx, c) })
	return err
}

func (p persistent) Journal(ctx context.Context, c adapter.Claim) (*adapter.ExecutionView, error) {
	return again(func() (*adapter.ExecutionView, error) { return p.Store.Journal(ctx, c) })
}

func (p persistent) Range(ctx context.Context, key adapter.ThreadKey, epoch string, first int64, limit int) (adapter.RangeResult, error) {
	return again(func() (adapter.RangeResult, error) { return p.Store.Range(ctx, key, epoch, first, limit) })
}

func (p persistent) Due(ctx context.Context, limit int) ([]adapter.ThreadKey, error) {
	return again(func() ([]adapter.ThreadKey, error) { return p.Store.Due(ctx, limit) })
}

func (p persistent) Nack(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	return again(func() (adapter.NackResult, error) { return p.Store.Nack(ctx, n) })
}

func (p persistent) Bury(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	return again(func() (adapter.NackResult, error) { return p.Store.Bury(ctx, n) })
}

func (p persistent) Interrupt(ctx context.Context, i adapter.Interruption) (adapter.InterruptResult, error) {
	return again(func() (adapter.InterruptResult, error) { return p.Store.Interrupt(ctx, i) })
}

func (p persistent) Pause(ctx context.Context, key adapter.ThreadKey) (bool, error) {
	return again(func() (bool, error) { return p.Store.Pause(ctx, key) })
}

func (p persistent) Unpause(ctx context.Context, key adapter.ThreadKey, request string) (bool, error) {
	return again(func() (bool, error) { return p.Store.Unpause(ctx, key, request) })
}

func (p persistent) TakePause(ctx context.Context, c adapter.Claim) (bool, error) {
	return again(func() (bool, error) { return p.Store.TakePause(ctx, c) })
}

func (p persistent) Dispatches(ctx context.Context, key adapter.ThreadKey, q adapter.DispatchQuery) ([]adapter.Dispatch, error) {
	return again(func() ([]adapter.Dispatch, error) { return p.Store.Dispatches(ctx, key, q) })
}
