package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
	"github.com/aguiws/aguiws/redisstore/lua"
)

// load gives every server that answers the functions, or else the scripts of every run. It gets
// each script that it misses in full. A server in this
// process gets each script in full when it first runs: miniredis keeps what it has read of
// a script for all servers of the process, and SCRIPT LOAD reads it anew.
func (s *Connection) load(ctx context.Context) error {
	if s.Settings.Volatile {
		return nil
	}
	if s.functions.used.Store(!s.Settings.Scripts); !s.Settings.Scripts {
		s.loadFunctions(ctx, dropFunctions)
	}
	if s.byFunctions() {
		return nil
	}
	return s.eachServer(ctx, func(ctx context.Context, c *redis.Client) error {
		for _, sc := range lua.Common {
			if err := c.ScriptLoad(ctx, sc.Source).Err(); err != nil {
				return Error("load "+sc.Name+".lua", err)
			}
		}
		return nil
	})
}

// checkHistory runs a script that needs the history's name: where it cannot be
// read, a fail-over that loses writes would go unnoticed. Any master that answers will
// do.
func (s *Connection) checkHistory(ctx context.Context) error {
	if s.Settings.HistoryID != "" {
		return nil
	}
	var err error
	for i := range s.Keys.Parts {
		p := &s.Keys.Parts[i]
		if i > 0 && (!errors.Is(err, store.ErrOutcomeUnknown) && !errors.Is(err, store.ErrCorrupted) || ctx.Err() != nil || s.SameMaster(p, &s.Keys.Parts[i-1])) {
			continue
		}
		if _, err = s.Run(ctx, RenewCall(p.Base+"probe", p, "", store.Claim{}, time.Millisecond)); err == nil {
			return nil
		}
	}
	return fmt.Errorf("%w (scripts must be able to run INFO replication)", err)
}

// RenewCall renews the lease of a claim.
func RenewCall(rec string, p *keyspace.Partition, member string, c store.Claim, lease time.Duration) Call {
	return Call{Script: lua.Renew, Keys: []string{rec, p.Leases, p.Ready, p.Work}, Args: lua.Args{
		{"member", member}, {"run", c.RunID}, {"token", c.Token}, {"depoch", c.DispatchEpoch}, {"lease", lease.Milliseconds()},
	}}
}
