package adapter_test

import (
	"context"

	"github.com/aguiws/aguiws/adapter/store"
)

// journals is a store that tells executions as read makes them, wherever it tells them.
type journals struct {
	store.Store
	read func(*store.ExecutionView)
}

func (s *journals) Journal(ctx context.Context, c store.Claim) (*store.ExecutionView, error) {
	view, err := s.Store.Journal(ctx, c)
	if view != nil {
		s.read(view)
	}
	return view, err
}

func (s *journals) Begin(ctx context.Context, b store.Begin) (store.BeginResult, error) {
	res, err := s.Store.Begin(ctx, b)
	if res.Execution != nil {
		s.read(res.Execution)
	}
	return res, err
}
