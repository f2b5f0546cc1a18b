package redisstore

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/aguiws/aguiws/adapter/store"
)

// Claim implements store.Worker.
func (s *Store) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	if c.Token == "" {
		return store.ClaimResult{}, errors.New("redisstore: claim: a claim needs a token")
	}
	t := s.keys.thread(c.Thread)
	r, err := s.run(ctx, call{claimScript, t.all(), []any{t.member, c.Token, s.opts.Lease.Milliseconds(), c.RunID, c.Spare}})
	if err != nil {
		return store.ClaimResult{}, err
	}
	res := store.ClaimResult{Kind: claimKind[r.int()&3], Claim: store.Claim{Thread: c.Thread, RunID: r.string(),
		Token: c.Token, DispatchEpoch: r.int()}, Attempts: int(r.int()), Exhausted: r.bool(), Input: r.json(), Record: r.json()}
	if res.Kind == store.ClaimNothing || res.Kind == store.ClaimExpired {
		res.Claim = store.Claim{}
	}
	if res.Kind != store.ClaimQueued {
		res.Input = nil
	}
	epoch, before, events := r.string(), r.int(), r.events()
	s.logged(c.Thread, epoch, before+1, events)
	s.lost(c.Thread, r.string(), r.string())
	return res, r.err
}

var claimKind = [4]store.ClaimKind{store.ClaimNothing, store.ClaimQueued, store.ClaimTakeover, store.ClaimExpired}

// Activate implements store.Worker.
func (s *Store) Activate(ctx context.Context, a store.Activation) (store.CommitResult, error) {
	if len(a.Events) == 0 {
		return store.CommitResult{}, errors.New("redisstore: activate: a run begins with an event")
	}
	t := s.keys.thread(a.Claim.Thread)
	args := []any{t.member, a.Claim.RunID, a.Claim.Token, a.Claim.DispatchEpoch, a.Execution, squeeze(a.Frozen), a.Agent}
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

// maxTurn is beyond the pages that any partition has due.
const maxTurn = 1 << 30

// Due implements store.Worker. Partitions take turns at coming first, and half of
// the calls look beyond the threads that have waited longest, so that a small limit
// starves none.
func (s *Store) Due(ctx context.Context, limit int) ([]store.ThreadKey, error) {
	n := len(s.keys.parts)
	from := int(s.dueFrom.Add(1) % uint64(n))
	turn := max(rand.IntN(2*maxTurn)-maxTurn, 0)
	calls := make([]call, n)
	for i := range calls {
		p := s.keys.parts[(from+i)%n]
		calls[i] = call{dueScript, []string{p.leases, p.ready}, []any{limit, turn}}
	}
	replies, errs := s.runAll(ctx, calls)
	partial := s.missing(errs)
	if most(partial) != nil {
		return nil, partial
	}
	var due []store.ThreadKey
	seen := map[store.ThreadKey]bool{}
	for i, r := range replies {
		if errs[i] != nil {
			continue
		}
		for r.more() && len(due) < limit {
			key, ok := threadOf(r.string())
			if ok && !seen[key] { // what is no thread hides none
				seen[key] = true
				due = append(due, key)
			}
		}
	}
	return due, partial
}
