package redisstore

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Commit implements store.Worker.
func (s *Store) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if b.Number < 1 || b.Expect < 0 {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: batch %d at position %d", b.Number, b.Expect)
	}
	if b.Checkpoint != nil {
		return s.midrun(ctx, b)
	}
	if b.End != nil {
		return s.end(ctx, b)
	}
	if b.Join != nil {
		return s.join(ctx, b)
	}
	if b.Bookkeeping {
		return s.note(ctx, b)
	}
	closing, err := packArray(b.Closing)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: closing events: %w", err)
	}
	return s.commits.commit(ctx, s.conn.keys.Thread(b.Claim.Thread), b, closing)
}

// note sends a batch of bookkeeping. It is rare, and knows more of its thread than
// what group commit does.
func (s *Store) note(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	closing, err := packArray(b.Closing)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: closing events: %w", err)
	}
	t := s.conn.keys.Thread(b.Claim.Thread)
	r, err := s.conn.run(ctx, call{lua.Note, t.All(), lua.Args{
		{"member", t.Member}, {"run", b.Claim.RunID}, {"token", b.Claim.Token}, {"depoch", b.Claim.DispatchEpoch},
		{"number", b.Number}, {"expect", b.Expect}, {"closes", b.Closing != nil}, {"closing", closing},
		{"events", len(b.Events)},
	}, appendBytes(s.conn.appendEvents(nil, b.Events), b.Entries)})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := commitResult(r)
	if r.err == nil && res.Status == store.CommitOK {
		s.deliveries.logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
	}
	return res, r.err
}
