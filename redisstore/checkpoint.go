package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Checkpoint implements store.Checkpoints.
func (s *Store) Checkpoint(ctx context.Context, c store.Checkpoint) (bool, error) {
	if c.At.Epoch == "" || c.At.Seq <= c.From {
		return false, errors.New("redisstore: checkpoint: the snapshot must move forward in an existing log")
	}
	if c.Snapshot.Frozen != nil || c.Snapshot.Open != nil {
		return false, errors.New("redisstore: checkpoint: the snapshot of a thread at rest has no frozen or open part")
	}
	t := s.conn.Keys.Thread(c.Thread)
	snap, err := threadlog.NewSnapshotUpdate(&c.Snapshot)
	if err != nil {
		return false, fmt.Errorf("redisstore: checkpoint: %w", err)
	}
	d := decider{Thread: t, token: fmt.Sprint(c.From, " ", c.At.Seq), version: c.Version, epoch: c.At.Epoch}
	r, err := s.decide(ctx, d, snap, func(snap threadlog.SnapshotUpdate, stamp string) (*link.Reply, error) {
		return s.conn.Run(ctx, link.Call{Script: lua.Checkpoint, Keys: t.All(), Args: lua.Args{
			{"version", c.Version},
			{"epoch", c.At.Epoch},
			{"from", c.From},
			{"at", c.At.Seq},
			{"state", snap.State},
			{"whole", snap.Whole},
			{"drop", snap.Drop},
			{"stamp", stamp},
			{"retain", s.opts.Retain},
			{"bytes", s.opts.RetainBytes},
			{"age", s.opts.RetainAge.Milliseconds()},
			{"pieces", len(snap.Pieces) / threadlog.PieceParts},
			{"messages", len(snap.Messages) / 2},
			{"removed", len(snap.Removed)},
		}, Rest: slices.Concat(snap.Pieces, snap.Messages, snap.Removed)})
	})
	if err != nil {
		return false, err
	}
	moved := r.Int() == 1
	if moved {
		s.cleared(ctx, t, snap)
		if r.Bool() {
			s.trimmed(ctx, c.Thread)
		}
	}
	return moved, r.Err
}

// midrun sends a batch that moves the snapshot while its run goes on.
func (s *Store) midrun(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	c := b.Checkpoint
	if b.End != nil || len(b.Events)+len(b.Entries) > 0 || b.Closing != nil || b.Bookkeeping {
		return store.CommitResult{}, errors.New("redisstore: commit: a checkpoint is alone in its batch")
	}
	if c.Snapshot.Open == nil || c.Undo == nil {
		return store.CommitResult{}, errors.New("redisstore: commit: a checkpoint says what its run has open, and what undoes it")
	}
	t := s.conn.Keys.Thread(b.Claim.Thread)
	snap, err := threadlog.NewSnapshotUpdate(&c.Snapshot)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", err)
	}
	r, err := s.decide(ctx, deciderOf(t, b), snap, func(snap threadlog.SnapshotUpdate, stamp string) (*link.Reply, error) {
		return s.conn.Run(ctx, link.Call{Script: lua.Midrun, Keys: t.All(), Args: lua.Args{
			{"run", b.Claim.RunID},
			{"token", b.Claim.Token},
			{"depoch", b.Claim.DispatchEpoch},
			{"number", b.Number},
			{"expect", b.Expect},
			{"state", snap.State},
			{"frozen", snap.Frozen},
			{"open", snap.Open},
			{"undo", link.Compress(c.Undo)},
			{"whole", snap.Whole},
			{"drop", snap.Drop},
			{"stamp", stamp},
			{"retain", s.opts.Retain},
			{"bytes", s.opts.RetainBytes},
			{"age", s.opts.RetainAge.Milliseconds()},
			{"pieces", len(snap.Pieces) / threadlog.PieceParts},
			{"messages", len(snap.Messages) / 2},
			{"removed", len(snap.Removed)},
		}, Rest: slices.Concat(snap.Pieces, snap.Messages, snap.Removed)})
	})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := link.CommitResult(r)
	if more := r.Bool(); res.Status == store.CommitOK {
		s.cleared(ctx, t, snap)
		if more {
			s.trimmed(ctx, b.Claim.Thread)
		}
	}
	return res, r.Err
}
