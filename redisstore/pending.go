package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter"
)

var errPending = errors.New("redisstore: this call is not there yet")

func (s *Store) DeadLetters(ctx context.Context, q adapter.PageQuery) (adapter.DeadLetterPage, error) {
	return adapter.DeadLetterPage{}, errPending
}
func (s *Store) Retire(ctx context.Context) (bool, error) { return false, errPending }
