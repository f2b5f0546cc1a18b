package redisstore

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Ready asks each master that has a partition whether it answers and has the replicas that
// writes wait for, by one command: how many partitions there are does not matter. Its error wraps store.ErrPartial
// when some of a Cluster's masters do not answer.
func (s *Store) Ready(ctx context.Context) error {
	if err := s.conn.usable(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	var keys []string
	for i := range s.conn.keys.Parts {
		keys = append(keys, s.conn.keys.Parts[i].Leases)
	}
	var mu sync.Mutex
	var errs []error
	s.conn.perMaster(keys, func(master *redis.Client, at []int) {
		// A slot whose master is not known is looked for by asking for the key.
		var cmd redis.Cmder = redis.NewIntCmd(ctx, "exists", keys[at[0]])
		client := master
		if single, ok := s.conn.client.(*redis.Client); ok {
			client = single
		}
		if s.conn.silences.has(master) {
			cmd.SetErr(errSilent)
		} else if client != nil && s.opts.WaitReplicas > 0 {
			cmd.SetErr(s.conn.waitable(ctx, client))
		} else if master != nil {
			cmd = redis.NewStatusCmd(ctx, "ping")
			_ = master.Process(ctx, cmd)
		} else {
			_ = s.conn.client.Process(ctx, cmd)
		}
		err := cmd.Err()
		if err != nil {
			err = storeError("ask whether it answers", err)
			s.conn.unheard(master, err)
		}
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
	})
	return s.conn.missing(errs)
}
