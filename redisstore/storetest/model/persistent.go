package model

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/storetest/stage"
)

// Storm runs the invariants' tests alone, on stores that may leave the outcome
// of a call unknown as often as they like: each call is sent again, as it was,
// until it is answered.
func Storm(t *testing.T, open stage.Open) {
	for _, tt := range InvariantTests {
		t.Run(tt.Name, func(t *testing.T) {
			tt.Run(stage.NewEnv(t, func(t testing.TB, n stage.Node) store.Store { return persistent{open(t, n)} }))
		})
	}
}

// persistent sends calls again. It changes no method that cannot fail.
type persistent struct{ store.Store }

func again[T any](call func() (T, error)) (T, error) {
	for {
		v, err := call()
		if !errors.Is(err, store.ErrOutcomeUnknown) || errors.Is(err, context.Canceled) {
			return v, err
		}
	}
}

func (p persistent) Read(ctx context.Context, key store.ThreadKey, q store.ReadQuery) (*store.ThreadView, error) {
	return again(func() (*store.ThreadView, error) { return p.Store.Read(ctx, key, q) })
}

func (p persistent) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	return again(func() (store.BeginResult, error) { return p.Store.Begin(ctx, b) })
}

func (p persistent) Stop(ctx context.Context, s store.Stop) (store.StopResult, error) {
	return again(func() (store.StopResult, error) { return p.Store.Stop(ctx, s) })
}

func (p persistent) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	return again(func() (store.ClaimResult, error) { return p.Store.Claim(ctx, c) })
}

func (p persistent) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	return again(func() (store.CommitResult, error) { return p.Store.Activate(ctx, a) })
}

func (p persistent) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	return again(func() (store.CommitResult, error) { return p.Store.Commit(ctx, b) })
}

func (p persistent) HandBack(ctx context.Context, c store.Claim) error {
	_, err := again(func() (bool, error) { return true, p.Store.HandBack(ctx, c) })
	return err
}

func (p persistent) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	return again(func() (*store.ExecutionView, error) { return p.Store.Journal(ctx, c) })
}

func (p persistent) Range(ctx context.Context, key store.ThreadKey, epoch string, first int64, limit int) (store.RangeResult, error) {
	return again(func() (store.RangeResult, error) { return p.Store.Range(ctx, key, epoch, first, limit) })
}

func (p persistent) Work(ctx context.Context, q store.WorkQuery) ([]store.Work, error) {
	return again(func() ([]store.Work, error) { return p.Store.Work(ctx, q) })
}

func (p persistent) Return(ctx context.Context, work []store.Work) error {
	_, err := again(func() (bool, error) { return true, p.Store.Return(ctx, work) })
	return err
}

func (p persistent) Checkpoint(ctx context.Context, c store.Checkpoint) (bool, error) {
	return again(func() (bool, error) { return p.Store.Checkpoint(ctx, c) })
}

func (p persistent) Nack(ctx context.Context, n store.Nack) (store.NackResult, error) {
	return again(func() (store.NackResult, error) { return p.Store.Nack(ctx, n) })
}

func (p persistent) Bury(ctx context.Context, n store.Nack) (store.NackResult, error) {
	return again(func() (store.NackResult, error) { return p.Store.Bury(ctx, n) })
}

func (p persistent) StopAll(ctx context.Context, i store.StopAll) (store.StopAllResult, error) {
	return again(func() (store.StopAllResult, error) { return p.Store.StopAll(ctx, i) })
}

func (p persistent) Pause(ctx context.Context, key store.ThreadKey, w store.Wish) (bool, error) {
	return again(func() (bool, error) { return p.Store.Pause(ctx, key, w) })
}

func (p persistent) Postpone(ctx context.Context, key store.ThreadKey, interrupt string, until time.Time) (bool, error) {
	return again(func() (bool, error) { return p.Store.Postpone(ctx, key, interrupt, until) })
}

func (p persistent) Unpause(ctx context.Context, key store.ThreadKey, request string) (bool, error) {
	return again(func() (bool, error) { return p.Store.Unpause(ctx, key, request) })
}

func (p persistent) TakePause(ctx context.Context, c store.Claim) (*store.Wish, error) {
	return again(func() (*store.Wish, error) { return p.Store.TakePause(ctx, c) })
}

func (p persistent) Dispatches(ctx context.Context, key store.ThreadKey, q store.DispatchQuery) ([]store.Dispatch, error) {
	return again(func() ([]store.Dispatch, error) { return p.Store.Dispatches(ctx, key, q) })
}

func (p persistent) Messages(ctx context.Context, key store.ThreadKey, q store.MessageQuery) (store.MessagePage, error) {
	return again(func() (store.MessagePage, error) { return p.Store.Messages(ctx, key, q) })
}

func (p persistent) Branches(ctx context.Context, key store.ThreadKey) ([]store.Branch, error) {
	return again(func() ([]store.Branch, error) { return p.Store.Branches(ctx, key) })
}

func (p persistent) BranchMessages(ctx context.Context, key store.ThreadKey, id string) (json.RawMessage, error) {
	return again(func() (json.RawMessage, error) { return p.Store.BranchMessages(ctx, key, id) })
}
