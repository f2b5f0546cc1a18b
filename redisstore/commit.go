package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
)

var commitStatus = [4]store.CommitStatus{store.CommitOK, store.CommitFenced, store.CommitAhead, store.CommitMismatch}

// paused is PAUSED of lib.lua.
const paused = 8

func commitResult(r *reply) store.CommitResult {
	verdict := r.int()
	return store.CommitResult{Status: commitStatus[verdict&3], Paused: verdict&paused != 0,
		End: store.Position{Epoch: r.string(), Seq: r.int()}}
}

// Commit implements store.Worker. The batch must not be changed before Commit
// returns, nor its events ever: readers get the same bytes.
func (s *Store) Commit(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	if b.Number < 1 || b.Expect < 0 {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: batch %d at position %d", b.Number, b.Expect)
	}
	if b.End != nil {
		return s.end(ctx, b)
	}
	if b.Bookkeeping {
		return s.note(ctx, b)
	}
	closing, err := packArray(b.Closing)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: closing events: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", err)
	}
	if err := s.current(); err != nil {
		return store.CommitResult{}, err
	}
	t := s.keys.thread(b.Claim.Thread)
	p := &pending{keys: t, batch: b, closing: closing, done: make(chan outcome, 1)}
	lanes := s.way(t.part).lanes
	lane := lanes[t.part.index%len(lanes)]
	if err := lane.add(p); err != nil {
		return store.CommitResult{}, err
	}
	select {
	case o := <-p.done:
		return o.result, o.err
	case <-ctx.Done():
		if lane.withdraw(p) {
			return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w", ctx.Err())
		}
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: %w: %w", store.ErrOutcomeUnknown, ctx.Err())
	}
}

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
	t := s.keys.thread(b.Claim.Thread)
	var snap store.SnapshotUpdate
	if e.Snapshot != nil {
		snap = *e.Snapshot
	}
	var order []byte
	if snap.Order != nil {
		var err error
		if order, err = json.Marshal(snap.Order); err != nil {
			return store.CommitResult{}, fmt.Errorf("redisstore: commit: order of messages: %w", err)
		}
	}
	args := []any{t.member, b.Claim.RunID, b.Claim.Token, b.Claim.DispatchEpoch, b.Number, b.Expect,
		string(e.Kind), squeeze(e.Suspension), e.GiveBack && e.Kind == store.EndFail, e.Snapshot != nil,
		squeeze(snap.State), squeeze(order), s.opts.Keep.Milliseconds(), s.opts.Retain,
		len(b.Events), len(b.Records), len(e.Interrupts), len(e.ToolCalls), len(snap.Upsert), len(snap.Remove), e.Deadline, digests(e.Reasons), s.opts.RetainBytes,
		s.opts.RetainAge.Milliseconds()}
	args = s.appendEvents(args, b.Events)
	args = appendBytes(args, squeezeAll(b.Records))
	args = appendStrings(args, e.Interrupts)
	args = appendStrings(args, e.ToolCalls)
	for id, m := range snap.Upsert {
		args = append(args, id, squeeze(m))
	}
	args = appendStrings(args, snap.Remove)
	r, err := s.run(ctx, call{endScript, t.all(), args})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := commitResult(r)
	res.Ready, res.GaveBack = r.bool(), r.bool()
	before, after := r.int(), r.events()
	if r.err != nil {
		return res, r.err
	}
	if res.Status == store.CommitOK {
		s.logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
		s.logged(b.Claim.Thread, res.End.Epoch, before+1, after)
	}
	return res, nil
}

// note sends a batch of bookkeeping. It is rare, and knows more of its thread than
// what a lane commits.
func (s *Store) note(ctx context.Context, b store.Batch) (store.CommitResult, error) {
	closing, err := packArray(b.Closing)
	if err != nil {
		return store.CommitResult{}, fmt.Errorf("redisstore: commit: closing events: %w", err)
	}
	t := s.keys.thread(b.Claim.Thread)
	args := []any{t.member, b.Claim.RunID, b.Claim.Token, b.Claim.DispatchEpoch, b.Number, b.Expect,
		b.Closing != nil, closing, len(b.Events)}
	args = appendBytes(s.appendEvents(args, b.Events), b.Records)
	r, err := s.run(ctx, call{noteScript, t.all(), args})
	if err != nil {
		return store.CommitResult{}, err
	}
	res := commitResult(r)
	if r.err == nil && res.Status == store.CommitOK {
		s.logged(b.Claim.Thread, res.End.Epoch, b.Expect+1, b.Events)
	}
	return res, r.err
}

func appendStrings(args []any, items []string) []any {
	for _, s := range items {
		args = append(args, s)
	}
	return args
}
