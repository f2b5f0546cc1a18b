package operate

import (
	"context"

	"github.com/aguiws/aguiws/adapter/internal/node"
	"github.com/aguiws/aguiws/adapter/store"
)

// records shows what was decided, and what became true.
type records struct {
	*node.Node
}

// Decisions pages through the record of what was decided, the latest first. Errors are as
// Inbox's. Each Body is a DecisionBody.
func (rs *records) Decisions(ctx context.Context, q store.DecisionQuery) (store.DecisionPage, error) {
	return rs.Store.Decisions(ctx, q)
}

// Notices returns what became true of threads behind a cursor: see store.Notices. Each
// call that waits holds a reading of the store.
func (rs *records) Notices(ctx context.Context, q store.NoticeQuery) (store.NoticePage, error) {
	return rs.Store.Notices(ctx, q)
}

// ForgetDecisions takes those of a thread out of the record, also of one that was deleted.
func (rs *records) ForgetDecisions(ctx context.Context, key store.ThreadKey) error {
	return rs.Store.ForgetDecisions(ctx, key)
}
