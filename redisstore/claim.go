package redisstore

import (
	"context"
	"errors"
	"time"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// Claim implements store.Worker.
func (s *Store) Claim(ctx context.Context, c store.ClaimRequest) (store.ClaimResult, error) {
	if c.Token == "" {
		return store.ClaimResult{}, errors.New("redisstore: claim: a claim needs a token")
	}
	t := s.conn.Keys.Thread(c.Thread)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Claim, Keys: t.All(), Args: lua.Args{{"member", t.Member}, {"token", c.Token},
		{"lease", s.opts.Lease.Milliseconds()}, {"run", c.RunID}, {"spare", c.Spare}, {"entry", c.Entry}, {"any", c.Agents == nil}},
		Rest: link.AppendStrings(nil, c.Agents)})
	if err != nil {
		return store.ClaimResult{}, err
	}
	res := store.ClaimResult{Kind: claimKind[r.Int()&3], Claim: store.Claim{Thread: c.Thread, RunID: r.Text(),
		Token: c.Token, DispatchEpoch: r.Int()}, Attempts: int(r.Int()), Exhausted: r.Bool(), Input: r.JSON(), Record: r.JSON(), Headers: r.JSON()}
	if res.Kind == store.ClaimNothing || res.Kind == store.ClaimExpired {
		res.Claim = store.Claim{}
	}
	if res.Kind != store.ClaimQueued {
		res.Input = nil
	}
	epoch, before, events := r.Text(), r.Int(), r.Events()
	s.deliveries.Logged(c.Thread, epoch, before+1, events)
	s.deliveries.Lost(c.Thread, r.Text(), r.Text())
	return res, r.Err
}

var claimKind = [4]store.ClaimKind{store.ClaimNothing, store.ClaimQueued, store.ClaimTakeover, store.ClaimExpired}

// Postpone implements store.Sweep.
func (s *Store) Postpone(ctx context.Context, key store.ThreadKey, interrupt string, until time.Time) (bool, error) {
	t := s.conn.Keys.Thread(key)
	r, err := s.conn.Run(ctx, link.Call{Script: lua.Postpone, Keys: t.All(), Args: lua.Args{{"member", t.Member}, {"interrupt", interrupt}, {"at", until.UnixMilli()}}})
	if err != nil {
		return false, err
	}
	return r.Bool(), r.Err
}
