package link

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/aguiws/aguiws/adapter/store"
)

// Servers asks each master for what it says of itself, by one command each. If not all
// masters of a Cluster answer, it returns the others, beside an error that wraps
// store.ErrPartial.
func (s *Connection) Servers(ctx context.Context) ([]store.Server, error) {
	if err := s.Usable(); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.Settings.Timeout)
	defer cancel()
	if s.Settings.Volatile {
		began := time.Now()
		if err := s.Client.Ping(ctx).Err(); err != nil {
			return nil, Error("ping", err)
		}
		return []store.Server{{Latency: time.Since(began)}}, nil
	}
	cluster, ok := s.Client.(*redis.ClusterClient)
	if !ok {
		one, err := serverOf(ctx, s.Client)
		if err != nil {
			return nil, err
		}
		if c, ok := s.Client.(*redis.Client); ok {
			one.Address = c.Options().Addr
		}
		return []store.Server{one}, nil
	}
	var mu sync.Mutex
	var found []store.Server
	err := EachMaster(ctx, cluster, func(ctx context.Context, c *redis.Client) error {
		if s.silences.has(c) {
			return errSilent
		}
		one, err := serverOf(ctx, c)
		if err != nil {
			s.unheard(c, err)
			return err
		}
		one.Address = c.Options().Addr
		mu.Lock()
		defer mu.Unlock()
		found = append(found, one)
		return nil
	})
	slices.SortFunc(found, func(a, b store.Server) int { return cmp.Compare(a.Address, b.Address) })
	return found, err
}

func serverOf(ctx context.Context, c redis.Cmdable) (store.Server, error) {
	began := time.Now()
	text, err := c.Info(ctx).Result()
	if err != nil {
		return store.Server{}, Error("info", err)
	}
	info := ParseInfo(text)
	number := func(name string) int64 {
		n, _ := strconv.ParseInt(info[name], 10, 64)
		return n
	}
	s := store.Server{Version: info["redis_version"], Latency: time.Since(began), Uptime: time.Duration(number("uptime_in_seconds")) * time.Second,
		Memory: number("used_memory"), Limit: number("maxmemory"), Clients: number("connected_clients"), Replicas: number("connected_slaves"), PerSec: number("instantaneous_ops_per_sec")}
	s.Warnings = Durability(info)
	return s, nil
}
