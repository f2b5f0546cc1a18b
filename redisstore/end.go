package redisstore

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/index"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/internal/threadlog"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// end sends a batch that ends its run. A run's batches come one at a time, so
// that none of its others is on the way.
func (s *Store) end(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if len(b.Events) == 0 {
		return store.CommitResult{}, errors.New("redisstore: commit: a run ends with an event")
	}
	if b.Bookkeeping {
		return store.CommitResult{}, errors.New("redisstore: commit: a run does not end with bookkeeping")
	}
	e := b.End
	if (e.Kind == store.EndSuspend) != (e.Suspension != nil) {
		return store.CommitResult{}, errors.New("redisstore: commit: a suspension belongs to a run that suspends, and to no other")
	}
	if e.Snapshot != nil && e.Snapshot.Open != nil {
		return store.CommitResult{}, errors.New("redisstore: commit: a run that ends has nothing open")
	}
	t := s.conn.Keys.Thread(b.Claim.Thread)
	snap, err := threadlog.NewSnapshotUpdate(e.Snapshot)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", err)
	}
	logged, mark := b.Events, threadlog.Mark(b, s.opts.LargeEvent)
	if mark != nil {
		logged = slices.Clone(logged)
		logged[len(logged)-2] = mark
	}
	head := s.conn.AppendElements(nil, b.Expect+1, logged)
	elements := len(head)
	head = link.AppendBytes(head, link.CompressAll(b.Entries))
	head = link.AppendStrings(head, e.Interrupts)
	head = link.AppendStrings(head, e.ToolCalls)
	r, err := s.decide(ctx, deciderOf(t, b), snap, func(snap threadlog.SnapshotUpdate, stamp string) (*link.Reply, error) {
		return s.conn.Run(ctx, s.endCall(t, b, snap, stamp, mark != nil, elements, head))
	})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := link.CommitResult(r)
	res.Ready, res.GaveBack = r.Bool(), r.Bool()
	before, after, more := r.Int(), r.Events(), r.Bool()
	if r.Err != nil {
		return res, r.Err
	}
	if res.Status == store.CommitOK {
		if mark != nil {
			at := len(b.Events) - 2
			s.cache.Made.Put(b.Claim.Thread, store.Position{Epoch: res.End.Epoch, Seq: b.Expect + 1 + int64(at)}, b.Events[at])
		}
		s.deliveries.Logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
		s.deliveries.Logged(b.Claim.Thread, res.End.Epoch, before+1, after)
		s.cleared(ctx, t, snap)
		if more {
			s.trimmed(ctx, b.Claim.Thread)
		}
	}
	return res, nil
}

// endCall is the script's call. Lists that are not of the snapshot come first, as head has them.
func (s *Store) endCall(t keyspace.Thread, b store.Batch, snap threadlog.SnapshotUpdate, stamp string, marks bool, elements int, head []any) link.Call {
	e := b.End
	return link.Call{Script: lua.End, Keys: t.All(), Args: lua.Args{
		{"member", t.Member},
		{"run", b.Claim.RunID},
		{"token", b.Claim.Token},
		{"depoch", b.Claim.DispatchEpoch},
		{"number", b.Number},
		{"expect", b.Expect},
		{"kind", string(e.Kind)},
		{"suspension", link.Compress(e.Suspension)},
		{"deadline", e.Deadline}, {"expires", e.Expires},
		{"reasons", reasonsOf(e)},
		{"told", packReasons(e.Reasons)},
		{"summaries", packSummaries(e.Summaries)},
		{"giveback", givesBack(e)}, {"code", e.Code},
		{"summary", []byte(e.Summary)},
		{"terminal", link.Compress(b.Events[len(b.Events)-1])},
		{"snapshot", e.Snapshot != nil},
		{"state", snap.State},
		{"frozen", snap.Frozen},
		{"whole", snap.Whole},
		{"drop", snap.Drop},
		{"mark", marks},
		{"stamp", stamp},
		{"retain", s.opts.Retain},
		{"bytes", s.opts.RetainBytes},
		{"age", s.opts.RetainAge.Milliseconds()},
		{"events", len(b.Events)},
		{"elements", elements},
		{"entries", len(b.Entries)},
		{"interrupts", len(e.Interrupts)},
		{"calls", len(e.ToolCalls)},
		{"pieces", len(snap.Pieces) / threadlog.PieceParts},
		{"messages", len(snap.Messages) / 2},
		{"removed", len(snap.Removed)},
	}, Rest: slices.Concat(head, snap.Pieces, snap.Messages, snap.Removed)}
}

// givesBack is whether an end gives decisions back, and over what, as the script has it.
func givesBack(e *store.End) int {
	if !e.GiveBack || e.Kind != store.EndFail {
		return 0
	}
	return 1 + max(e.Over, 0)
}

// reasonsOf is how the index finds a suspension; "-": it does not.
func reasonsOf(e *store.End) string {
	if e.Quiet {
		return "-"
	}
	return index.Digests(e.Reasons)
}
