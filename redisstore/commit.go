package redisstore

import (
	"context"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Send implements store.Sender.
func (s *Store) Send(ctx context.Context, b store.Batch, answered func(store.CommitResult, error)) bool {
	if b.Number < 1 || b.Expect < 0 || b.Checkpoint != nil || b.End != nil || b.Join != nil || b.Bookkeeping {
		return false
	}
	closing, err := link.PackArray(b.Closing)
	return err == nil && s.commits.Send(ctx, s.conn.Keys.Thread(b.Claim.Thread), b, closing, answered) != nil
}

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
	closing, err := link.PackArray(b.Closing)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: closing events: %w", err)
	}
	return s.commits.Commit(ctx, s.conn.Keys.Thread(b.Claim.Thread), b, closing)
}

// note sends a batch of bookkeeping. It is rare, and knows more of its thread than
// what group commit does.
func (s *Store) note(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	closing, err := link.PackArray(b.Closing)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: closing events: %w", err)
	}
	t := s.conn.Keys.Thread(b.Claim.Thread)
	elements := s.conn.AppendElements(nil, b.Expect+1, b.Events)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Note, Keys: t.All(), Args: lua.Args{
		{"member", t.Member}, {"run", b.Claim.RunID}, {"token", b.Claim.Token}, {"depoch", b.Claim.DispatchEpoch},
		{"number", b.Number}, {"expect", b.Expect}, {"closes", b.Closing != nil}, {"closing", closing},
		{"events", len(b.Events)}, {"elements", len(elements)},
	}, Rest: link.AppendBytes(elements, b.Entries)})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := link.CommitResult(r)
	if r.Err == nil && res.Status == store.CommitOK {
		s.deliveries.Logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
	}
	return res, r.Err
}
