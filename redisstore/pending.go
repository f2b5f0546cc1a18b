package redisstore

import (
	"context"

	"github.com/aguiws/aguiws/adapter"
)

func (s *Store) DeadLetters(ctx context.Context, q adapter.PageQuery) (adapter.DeadLetterPage, error) {
	return adapter.DeadLetterPage{}, errPending
}
func (s *Store) Retire(ctx context.Context) (bool, error) { return false, errPending }
