package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
)

// Checkpoint implements store.Checkpoints.
func (s *Store) Checkpoint(ctx context.Context, c store.Checkpoint) (bool, error) {
	if c.At.Epoch == "" || c.At.Seq <= c.From {
		return false, errors.New("redisstore: checkpoint: the snapshot moves forward in a log that there is")
	}
	if c.Snapshot.Frozen != nil {
		return false, errors.New("redisstore: checkpoint: no execution goes on from it")
	}
	t := s.keys.thread(c.Thread)
	snap, err := update(&c.Snapshot)
	if err != nil {
		return false, fmt.Errorf("redisstore: checkpoint: %w", err)
	}
	rest := append(append(snap.pieces, snap.messages...), snap.removed...)
	r, err := s.run(ctx, call{checkpointScript, t.all(), args{
		{"version", c.Version},
		{"epoch", c.At.Epoch},
		{"from", c.From},
		{"at", c.At.Seq},
		{"state", snap.state},
		{"whole", snap.whole},
		{"drop", snap.drop},
		{"retain", s.opts.Retain},
		{"bytes", s.opts.RetainBytes},
		{"age", s.opts.RetainAge.Milliseconds()},
		{"pieces", len(snap.pieces) / 2},
		{"messages", len(snap.messages) / 2},
		{"removed", len(snap.removed)},
	}, rest})
	if err != nil {
		return false, err
	}
	verdict := r.int()
	if verdict == 2 && r.err == nil {
		whole, err := s.wholeOrder(ctx, t, &c.Snapshot)
		if err != nil {
			return false, err
		}
		c.Snapshot = *whole
		return s.Checkpoint(ctx, c)
	}
	return verdict == 1, r.err
}
