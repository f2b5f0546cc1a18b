package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// gone is GONE of join.lua.
const gone = 32

// join sends a batch that takes inputs out of the queue.
func (s *Store) join(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if b.End != nil || b.Checkpoint != nil || b.Bookkeeping || b.Closing != nil {
		return store.CommitResult{}, errors.New("redisstore: commit: a batch that takes inputs has events and entries alone")
	}
	var rest []any
	for _, in := range b.Join.Inputs {
		if in.RunID == "" || len(in.Finished) == 0 {
			return store.CommitResult{}, errors.New("redisstore: commit: an input that joins has a run, and that its last event")
		}
		rest = append(rest, in.RunID, in.Finished)
	}
	t := s.conn.Keys.Thread(b.Claim.Thread)
	elements := s.conn.AppendElements(nil, b.Expect+1, b.Events)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Join, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"run", b.Claim.RunID}, {"token", b.Claim.Token}, {"depoch", b.Claim.DispatchEpoch},
		{"number", b.Number}, {"expect", b.Expect}, {"taken", len(b.Join.Inputs)}, {"events", len(b.Events)}, {"elements", len(elements)},
	}, Rest: link.AppendBytes(append(rest, elements...), b.Entries)})
	if err != nil {
		return store.CommitResult{}, err
	}
	verdict := r.Int()
	if verdict == gone {
		return store.CommitResult{Status: store.CommitGone, End: store.Position{Epoch: r.Text(), Seq: r.Int()}}, r.Err
	}
	res := store.CommitResult{Status: link.CommitStatus[verdict&3], Paused: verdict&link.Paused != 0, Joins: verdict&link.Joins != 0,
		End: store.Position{Epoch: r.Text(), Seq: r.Int()}}
	if r.Err != nil || res.Status != store.CommitOK {
		return res, r.Err
	}
	s.deliveries.Logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
	for owed := r.List(); owed.More(); {
		s.deliveries.Cancelled(b.Claim.Thread, owed.Events())
		if owed.Err != nil {
			return res, owed.Err
		}
	}
	return res, nil
}
