package redisstore

import (
	"context"
	"errors"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Claim implements store.Worker.
func (s *Store) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	if c.Token == "" {
		return store.ClaimResult{}, errors.New("redisstore: claim: a claim needs a token")
	}
	t := s.conn.keys.Thread(c.Thread)
	r, err := s.conn.run(ctx, call{lua.Claim, t.All(), lua.Args{{"member", t.Member}, {"token", c.Token},
		{"lease", s.opts.Lease.Milliseconds()}, {"run", c.RunID}, {"spare", c.Spare}, {"entry", c.Entry}, {"any", c.Agents == nil}},
		appendStrings(nil, c.Agents)})
	if err != nil {
		return store.ClaimResult{}, err
	}
	res := store.ClaimResult{Kind: claimKind[r.int()&3], Claim: store.Claim{Thread: c.Thread, RunID: r.string(),
		Token: c.Token, DispatchEpoch: r.int()}, Attempts: int(r.int()), Exhausted: r.bool(), Input: r.json(), Record: r.json(), Headers: r.json()}
	if res.Kind == store.ClaimNothing || res.Kind == store.ClaimExpired {
		res.Claim = store.Claim{}
	}
	if res.Kind != store.ClaimQueued {
		res.Input = nil
	}
	epoch, before, events := r.string(), r.int(), r.events()
	s.deliveries.logged(c.Thread, epoch, before+1, events)
	s.deliveries.lost(c.Thread, r.string(), r.string())
	return res, r.err
}

var claimKind = [4]store.ClaimKind{store.ClaimNothing, store.ClaimQueued, store.ClaimTakeover, store.ClaimExpired}
