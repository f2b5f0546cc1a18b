package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
)

var errPending = errors.New("redisstore: this call is not there yet")

func (s *Store) Nack(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	return adapter.NackResult{}, errPending
}
func (s *Store) Bury(ctx context.Context, n adapter.Nack) (adapter.NackResult, error) {
	return adapter.NackResult{}, errPending
}
func (s *Store) Interrupt(ctx context.Context, i adapter.Interruption) (adapter.InterruptResult, error) {
	return adapter.InterruptResult{}, errPending
}
func (s *Store) Pause(ctx context.Context, key adapter.ThreadKey, on bool) (bool, error) {
	return false, errPending
}
func (s *Store) Dispatch(ctx context.Context, key adapter.ThreadKey, id string) (*adapter.Dispatch, error) {
	return nil, errPending
}
func (s *Store) Dispatches(ctx context.Context, key adapter.ThreadKey, q adapter.DispatchQuery) ([]adapter.Dispatch, error) {
	return nil, errPending
}
func (s *Store) CountDispatches(ctx context.Context) (map[adapter.DispatchState]int64, error) {
	return nil, errPending
}
