package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
)

// Activate implements store.Worker.
func (s *Store) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	if len(a.Events) == 0 {
		return store.CommitResult{}, errors.New("redisstore: activate: a run begins with an event")
	}
	t := s.keys.thread(a.Claim.Thread)
	args := []any{t.member, a.Claim.RunID, a.Claim.Token, a.Claim.DispatchEpoch, a.Execution, compress(a.Frozen), a.Agent}
	r, err := s.run(ctx, call{activateScript, t.all(), s.appendEvents(args, a.Events)})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := commitResult(r)
	if res.Status == store.CommitOK {
		s.logged(a.Claim.Thread, res.End.Epoch, res.End.Seq-int64(len(a.Events))+1, a.Events)
	}
	return res, r.err
}
