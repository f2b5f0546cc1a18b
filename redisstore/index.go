package redisstore

import (
	"context"
	"encoding/json"

	"github.com/aguiws/aguiws/adapter"
)

func (s *Store) DeadLetters(ctx context.Context, q adapter.PageQuery) (adapter.DeadLetterPage, error) {
	return adapter.DeadLetterPage{}, errPending
}
func (s *Store) Inbox(ctx context.Context, q adapter.PageQuery) (adapter.InboxPage, error) {
	return adapter.InboxPage{}, errPending
}
func (s *Store) Threads(ctx context.Context, namespace string, q adapter.PageQuery) (adapter.ThreadPage, error) {
	return adapter.ThreadPage{}, errPending
}
func (s *Store) Drafts(ctx context.Context, key adapter.ThreadKey, version int64, drafts map[string]json.RawMessage) (map[string]json.RawMessage, bool, error) {
	return nil, false, errPending
}
func (s *Store) SetTitle(ctx context.Context, key adapter.ThreadKey, title string) (bool, error) {
	return false, errPending
}
func (s *Store) Delete(ctx context.Context, key adapter.ThreadKey) (bool, error) {
	return false, errPending
}
func (s *Store) Retire(ctx context.Context) (bool, error) { return false, errPending }
