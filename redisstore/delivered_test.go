package redisstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/redisstore/internal/keyspace"
)

// deliverer reads all streams of work of a space, by threads: of whose workers each asks
// one. It holds that what the record names is what is there.
func deliverer(client redis.UniversalClient, partitions int) func(space string, agents []string) (map[string][]string, error) {
	ctx := context.Background()
	return func(space string, agents []string) (map[string][]string, error) {
		keys := keyspace.New(space, partitions)
		pipe := client.Pipeline()
		var entries []*redis.XMessageSliceCmd
		for _, p := range keys.Parts {
			for _, agent := range agents {
				entries = append(entries, pipe.XRange(ctx, p.Work+agent, "-", "+"))
			}
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return nil, err
		}
		of, named := map[string][]string{}, map[string]*redis.StringCmd{}
		records := client.Pipeline()
		for i, cmd := range entries {
			for _, m := range cmd.Val() {
				agent, member := agents[i%len(agents)], fmt.Sprint(m.Values["thread"])
				key, ok := keyspace.ThreadOf(member)
				if !ok || len(m.Values) != 1 {
					return nil, fmt.Errorf("%s delivers %v", entries[i].Args(), m)
				}
				of[key.Thread] = append(of[key.Thread], agent)
				named[m.ID+" "+agent] = records.HGet(ctx, keys.Thread(key).Rec(), "work")
			}
		}
		if len(named) == 0 {
			return of, nil
		}
		_, _ = records.Exec(ctx) // each says itself what is wrong
		for entry, record := range named {
			id, agent, _ := strings.Cut(entry, " ")
			if at := strings.SplitN(record.Val(), " ", 3); len(at) != 3 || at[0] != id || at[2] != agent {
				return nil, fmt.Errorf("entry %q is there, and the record has %q: %v", entry, record.Val(), record.Err())
			}
		}
		return of, nil
	}
}
