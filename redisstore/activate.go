package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Activate implements store.Worker.
func (s *Store) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	if len(a.Events) == 0 {
		return store.CommitResult{}, errors.New("redisstore: activate: a run begins with an event")
	}
	t := s.conn.Keys.Thread(a.Claim.Thread)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Activate, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"run", a.Claim.RunID}, {"token", a.Claim.Token}, {"depoch", a.Claim.DispatchEpoch},
		{"execution", a.Execution}, {"frozen", link.Compress(a.Frozen)}, {"agent", a.Agent}, {"user", a.User},
		{"events", len(a.Events)},
	}, Rest: s.conn.AppendElements(nil, 1, a.Events)})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := link.CommitResult(r)
	if res.Status == store.CommitOK {
		s.deliveries.Logged(a.Claim.Thread, res.End.Epoch, res.End.Seq-int64(len(a.Events))+1, a.Events)
	}
	return res, r.Err
}
