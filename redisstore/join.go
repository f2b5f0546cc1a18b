package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
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
	t := s.conn.keys.Thread(b.Claim.Thread)
	r, err := s.conn.run(ctx, call{lua.Join, t.All(), lua.Args{
		{"member", t.Member}, {"run", b.Claim.RunID}, {"token", b.Claim.Token}, {"depoch", b.Claim.DispatchEpoch},
		{"number", b.Number}, {"expect", b.Expect}, {"taken", len(b.Join.Inputs)}, {"events", len(b.Events)},
	}, appendBytes(s.conn.appendEvents(rest, b.Events), b.Entries)})
	if err != nil {
		return store.CommitResult{}, err
	}
	verdict := r.int()
	if verdict == gone {
		return store.CommitResult{Status: store.CommitGone, End: store.Position{Epoch: r.string(), Seq: r.int()}}, r.err
	}
	res := store.CommitResult{Status: commitStatus[verdict&3], Paused: verdict&paused != 0, Joins: verdict&joins != 0,
		End: store.Position{Epoch: r.string(), Seq: r.int()}}
	if r.err != nil || res.Status != store.CommitOK {
		return res, r.err
	}
	s.deliveries.logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
	for owed := r.list(); owed.more(); {
		s.deliveries.cancelled(b.Claim.Thread, owed.events())
		if owed.err != nil {
			return res, owed.err
		}
	}
	return res, nil
}
