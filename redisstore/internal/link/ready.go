package link

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"
)

// Ready asks each master that has a partition whether it answers and has the replicas that
// writes wait for, by one command: how many partitions there are does not matter. Its error wraps store.ErrPartial
// when some of a Cluster's masters do not answer.
func (s *Connection) Ready(ctx context.Context) error {
	if err := s.Usable(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout)
	defer cancel()
	var keys []string
	for i := range s.Keys.Parts {
		keys = append(keys, s.Keys.Parts[i].Leases)
	}
	var mu sync.Mutex
	var errs []error
	s.perMaster(keys, func(master *redis.Client, at []int) {
		// A slot whose master is not known is looked for by asking for the key.
		var cmd redis.Cmder = redis.NewIntCmd(ctx, "exists", keys[at[0]])
		client := master
		if single, ok := s.Client.(*redis.Client); ok {
			client = single
		}
		if s.silences.has(master) {
			cmd.SetErr(errSilent)
		} else if client != nil && s.Settings.WaitReplicas > 0 {
			cmd.SetErr(s.waitable(ctx, client))
		} else if master != nil {
			cmd = redis.NewStatusCmd(ctx, "ping")
			_ = master.Process(ctx, cmd)
		} else {
			_ = s.Client.Process(ctx, cmd)
		}
		err := cmd.Err()
		if err != nil {
			err = Error("ask whether it answers", err)
			s.unheard(master, err)
		}
		mu.Lock()
		defer mu.Unlock()
		errs = append(errs, err)
	})
	return s.Missing(errs)
}
