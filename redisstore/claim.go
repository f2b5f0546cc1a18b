package redisstore

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/aguiws/aguiws/adapter"
)

// Claim implements adapter.Worker.
func (s *Store) Claim(ctx context.Context, c adapter.ClaimRequest) (adapter.ClaimResult, error) {
	if c.Token == "" {
		return adapter.ClaimResult{}, errors.New("redisstore: claim: a claim needs a token")
	}
	t := s.keys.thread(c.Thread)
	r, err := s.run(ctx, call{claimScript, t.all(), []any{t.member, c.Token, s.opts.Lease.Milliseconds(), c.RunID, c.Spare}})
	if err != nil {
		return adapter.ClaimResult{}, err
	}
	res := adapter.ClaimResult{Kind: claimKind[r.int()&3], Claim: adapter.Claim{Thread: c.Thread, RunID: r.string(),
		Token: c.Token, DispatchEpoch: r.int()}, Attempts: int(r.int()), Exhausted: r.bool(), Input: r.json(), Record: r.json()}
	if res.Kind == adapter.ClaimNothing || res.Kind == adapter.ClaimExpired {
		res.Claim = adapter.Claim{}
	}
	if res.Kind != adapter.ClaimQueued {
		res.Input = nil
	}
	epoch, before, events := r.string(), r.int(), r.events()
	s.logged(c.Thread, epoch, before+1, events)
	s.lost(c.Thread, r.string(), r.string())
	return res, r.err
}

var claimKind = [4]adapter.ClaimKind{adapter.ClaimNothing, adapter.ClaimQueued, adapter.ClaimTakeover, adapter.ClaimExpired}

// Activate implements adapter.Worker.
func (s *Store) Activate(ctx context.Context, a adapter.Activation) (adapter.CommitResult, error) {
	if len(a.Events) == 0 {
		return adapter.CommitResult{}, errors.New("redisstore: activate: a run begins with an event")
	}
	t := s.keys.thread(a.Claim.Thread)
	args := []any{t.member, a.Claim.RunID, a.Claim.Token, a.Claim.DispatchEpoch, a.Execution, squeeze(a.Frozen), a.Agent}
	r, err := s.run(ctx, call{activateScript, t.all(), s.appendEvents(args, a.Events)})
	if err != nil {
		return adapter.CommitResult{}, err
	}
	res := commitResult(r)
	if res.Status == adapter.CommitOK {
		s.logged(a.Claim.Thread, res.End.Epoch, res.End.Seq-int64(len(a.Events))+1, a.Events)
	}
	return res, r.err
}

// maxTurn is beyond the pages that any partition has due.
const maxTurn = 1 << 30

// Due implements adapter.Worker. Partitions take turns at coming first, and half of
// the calls look beyond the threads that have waited longest, so that a small limit
// starves none.
func (s *Store) Due(ctx context.Context, limit int) ([]adapter.ThreadKey, error) {
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
	var due []adapter.ThreadKey
	seen := map[adapter.ThreadKey]bool{}
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
