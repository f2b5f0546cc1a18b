package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/internal/link"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// madeTogether is how many threads of a partition that were made and never used one call
// looks at.
const madeTogether = 100

// retireMade deletes threads that were made too long ago and had no input. Threads below
// them are roots from then on.
func (s *retention) retireMade(ctx context.Context) error {
	if s.opts.ThreadTTL <= 0 {
		return nil
	}
	calls := make([]link.Call, len(s.conn.Keys.Parts))
	for i := range s.conn.Keys.Parts {
		calls[i] = link.Call{Script: lua.TreeMade, Keys: []string{s.conn.Keys.Parts[i].Made()},
			Args: lua.Args{{"ttl", s.opts.ThreadTTL.Milliseconds()}, {"limit", madeTogether}}}
	}
	replies, errs := s.conn.RunAll(ctx, calls)
	failed := s.conn.Missing(errs)
	for i, r := range replies {
		for errs[i] == nil && r.More() && ctx.Err() == nil {
			name := r.Text()
			if err := s.retireOne(ctx, s.conn.Keys.Parts[i].Made(), name); err != nil {
				failed = errors.Join(failed, fmt.Errorf("redisstore: retire what was made: %w", err))
			}
		}
	}
	return failed
}

// retireOne deletes a thread unless it was used meanwhile, and takes it off the list.
func (s *retention) retireOne(ctx context.Context, list, name string) error {
	key, ok := keyspace.ThreadOf(name)
	used, err := s.used(ctx, key)
	if err != nil {
		return err
	}
	if ok && !used[0].is {
		_, err := s.conn.Run(ctx, link.Call{Script: lua.TreeDoom, Keys: s.conn.Keys.Tree(key.Namespace),
			Args: lua.Args{{"thread", key.Thread}, {"namespace", key.Namespace}, {"how", string(store.DeleteDetach)}, {"deleter", ""}}})
		if err != nil {
			return err
		}
		if _, err := s.deleteResting(ctx, key, forgetUnused, store.Deletion{}); err != nil {
			return err
		}
	}
	return errors.Join(link.Ask(ctx, s.conn, []*redis.IntCmd{redis.NewIntCmd(ctx, "zrem", list, name)})...)
}
