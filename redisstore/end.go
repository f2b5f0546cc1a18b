package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aguiws/aguiws/adapter/store"
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
		string(e.Kind), compress(e.Suspension), e.GiveBack && e.Kind == store.EndFail, e.Snapshot != nil,
		compress(snap.State), compress(order), s.opts.Keep.Milliseconds(), s.opts.Retain,
		len(b.Events), len(b.Records), len(e.Interrupts), len(e.ToolCalls), len(snap.Upsert), len(snap.Remove), e.Deadline, digests(e.Reasons), s.opts.RetainBytes,
		s.opts.RetainAge.Milliseconds()}
	args = s.appendEvents(args, b.Events)
	args = appendBytes(args, compressAll(b.Records))
	args = appendStrings(args, e.Interrupts)
	args = appendStrings(args, e.ToolCalls)
	for id, m := range snap.Upsert {
		args = append(args, id, compress(m))
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
